import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AGENT, allMessages, startProcess, type TestProcess } from '../turns/turns.fixture.ts'

describe.each(testDatabases)('conversations on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let time = 1_800_000_000_000

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, { now: () => new Date(time) })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  async function converse(owner: string, conversationId: string, agentId: string = AGENT.id, message = 'hi') {
    time += 1_000
    const turn = await one.turns.prompt({ owner, agentId, message, conversationId })
    await turn.result()
  }

  const list = async (query: Parameters<TestProcess['conversations']['list']>[0]) => {
    const { conversations, total } = await one.conversations.list(query)
    return [conversations.map(({ id }) => id), total]
  }

  test('are listed for their owner, the one used last first', async () => {
    verifies('RT-CONV-10', 'RT-CONV-12')
    for (const id of ['a', 'b', 'c']) await converse('lister', id)
    await converse('lister', 'd', 'careful')
    await converse('stranger', 'e')
    await converse('lister', 'a')
    const owner = 'lister'
    expect(await list({ owner })).toStrictEqual([['a', 'd', 'c', 'b'], 4])
    expect(await list({ owner, agentId: 'careful' })).toStrictEqual([['d'], 1])
    expect(await list({ owner, agentId: 'nobody' })).toStrictEqual([[], 0])
    expect(await list({ owner, limit: 2 })).toStrictEqual([['a', 'd'], 4])
    expect(await list({ owner, limit: 2, offset: 3 })).toStrictEqual([['b'], 4])
    expect(await list({ owner, offset: 1 })).toStrictEqual([['d', 'c', 'b'], 4])
    expect(await list({ owner, limit: 0 })).toStrictEqual([[], 4])
    expect(await list({ owner: 'nobody' })).toStrictEqual([[], 0])
  })

  test.each([
    ['one line', 'one line'],
    ['\n\n  first \r\nsecond', 'first'],
    ['🙂'.repeat(100), '🙂'.repeat(80)],
    ['a\0b\tc', 'a b c'],
    ['\ud800 half', '\ufffd half'],
    ['   ', ''],
  ])('take their title from the first line: %j', async (message, title) => {
    const id = `title ${title}`
    await converse('titled', id, AGENT.id, message)
    expect(await one.conversations.find('titled', id)).toMatchObject({ title })
    const [first] = await allMessages(one, id)
    expect(first?.message).toStrictEqual({ role: 'user', text: message })
  })

  test('are removed with all they hold, or when nobody has used them for long', async () => {
    for (const id of ['old', 'older', 'new']) await converse('remover', id)
    expect(await one.conversations.remove('remover', 'older')).toBe(true)
    expect(await one.conversations.remove('remover', 'older')).toBe(false)
    expect(await allMessages(one, 'older')).toStrictEqual([])
    expect(await one.conversations.removeUnusedSince(new Date(time))).toBeGreaterThanOrEqual(1)
    expect(await list({ owner: 'remover' })).toStrictEqual([['new'], 1])
    expect(await one.conversations.removeUnusedSince(new Date(time))).toBe(0)
  })
})

test('ten thousand are listed along an index', async () => {
  const [sqlite] = testDatabases
  const database = await sqlite.createDatabase()
  const one = await startProcess(database.url)
  onTestFinished(async () => {
    await one.stop()
    await database.drop()
  })
  const insert = sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into runtime_conversation (id, owner, agent_id, title, created_at, used_at, status, turn_id, next_number, usage, summary_number)
    select 'many ' || i, 'many', 'a' || i % 3, 't', '2027-01-15T08:00:00.000Z', i, 'idle', 't', 1, '{"promptTokens":0,"completionTokens":0}', 0 from n`
  await insert.execute(one.store.db)
  const { conversations, total } = await one.conversations.list({ owner: 'many', limit: 2, offset: 500 })
  expect([conversations.map(({ id }) => id), total]).toStrictEqual([['many 9500', 'many 9499'], 10_000])
  for (const filter of [sql``, sql`and agent_id = 'a1'`]) {
    const plan = await sql<{ detail: string }>`
      explain query plan select id, title from runtime_conversation where owner = 'many' ${filter}
      order by used_at desc, id desc limit 50`.execute(one.store.db)
    const details = plan.rows.map(({ detail }) => detail).join('; ')
    expect(details).toMatch(/^SEARCH runtime_conversation USING INDEX runtime_conversation_of_(owner|agent)/)
    expect(details).not.toContain('TEMP B-TREE')
  }
  const expired = await sql<{ detail: string }>`
    explain query plan select id from runtime_turn where state = 'running' and lease_until < 5`.execute(
    one.store.db,
  )
  expect(expired.rows[0]?.detail).toContain('INDEX runtime_turn_running')
})
