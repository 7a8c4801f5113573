import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { createGroupCommit, type GroupMember } from './group-commit.ts'

let database: DatabaseSync
let statements: string[]
let group: ReturnType<typeof createGroupCommit>
let commitFails: boolean
let rollbackFails: boolean

beforeEach(() => {
  database = new DatabaseSync(':memory:')
  database.exec('create table t (name text unique)')
  statements = []
  commitFails = false
  rollbackFails = false
  group = createGroupCommit({
    async run(sql) {
      statements.push(sql)
      if (sql === 'commit' && commitFails) throw new Error('the disk is full')
      if (sql === 'rollback' && rollbackFails) throw new Error('nothing works')
      database.exec(sql)
    },
    isTransaction: () => database.isTransaction,
  })
})

const member = (): GroupMember => ({ isJoined: false, isLeft: false, isOver: false })
const insert = (name: string) => database.exec(`insert into t values ('${name}')`)
const names = () =>
  database
    .prepare('select name from t order by name')
    .all()
    .map(({ name }) => name)
const somebody = () => true
const nobody = () => false

test('one alone begins and commits', async () => {
  const one = member()
  await group.begin(one)
  insert('one')
  await group.commit(one, nobody)
  expect([statements, one.isLeft, names()]).toEqual([['begin immediate', 'commit'], false, ['one']])
})

test('those in line are committed together, and acknowledged then', async () => {
  const [one, two] = [member(), member()]
  const acknowledged: string[] = []
  await group.begin(one)
  insert('one')
  const first = group.commit(one, somebody).then(() => acknowledged.push('one'))
  await group.begin(two)
  insert('two')
  expect([one.isLeft, acknowledged]).toEqual([true, []])
  await Promise.all([group.commit(two, nobody).then(() => acknowledged.push('two')), first])
  expect(statements).toEqual([
    ...['begin immediate', 'savepoint joined', 'release savepoint joined', 'commit'],
  ])
  expect([acknowledged, names()]).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ])
})

test('one that fails takes back nothing but itself', async () => {
  const [one, two, three] = [member(), member(), member()]
  await group.begin(one)
  insert('one')
  const first = group.commit(one, somebody)
  await group.begin(two)
  insert('two')
  await group.rollback(two)
  await group.begin(three)
  insert('three')
  await group.commit(three, nobody)
  await first
  expect(names()).toEqual(['one', 'three'])
})

test('nobody is acknowledged when the commit fails, and nothing of them is left', async () => {
  const [one, two] = [member(), member()]
  await group.begin(one)
  insert('one')
  const first = expect(group.commit(one, somebody)).rejects.toThrow('full')
  await group.begin(two)
  insert('two')
  commitFails = true
  await expect(group.commit(two, nobody)).rejects.toThrow('full')
  await first
  // The callers take back what they were told has failed.
  await group.rollback(one)
  await group.rollback(two)
  expect([database.isTransaction, names()]).toEqual([false, []])
  commitFails = false
  const three = member()
  await group.begin(three)
  insert('three')
  await group.commit(three, nobody)
  expect(names()).toEqual(['three'])
})

test('nobody is left waiting when what failed cannot even be taken back', async () => {
  const [one, two] = [member(), member()]
  await group.begin(one)
  const first = expect(group.commit(one, somebody)).rejects.toThrow('full')
  await group.begin(two)
  commitFails = true
  rollbackFails = true
  await expect(group.commit(two, nobody)).rejects.toThrow('full')
  await first
})

test('where the database has undone it all by itself, all are told', async () => {
  const [one, two] = [member(), member()]
  await group.begin(one)
  insert('one')
  const first = expect(group.commit(one, somebody)).rejects.toThrow('undone')
  await group.begin(two)
  database.exec('rollback')
  await group.rollback(two)
  await first
  expect(names()).toEqual([])
})

test('what is read outside sees only what is committed', async () => {
  const one = member()
  await group.begin(one)
  insert('one')
  const first = group.commit(one, somebody)
  await group.flush()
  await first
  expect([statements.at(-1), group.isOpen()]).toEqual(['commit', false])
})

describe('bounds', () => {
  test('no more than so many at once', async () => {
    const commits = []
    for (let count = 0; count < 64; count++) {
      const one = member()
      await group.begin(one)
      commits.push(group.commit(one, somebody))
    }
    await Promise.all(commits)
    expect(statements.filter((sql) => sql === 'commit').length).toBeGreaterThanOrEqual(1)
  })
})
