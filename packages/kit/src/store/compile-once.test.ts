import { testDatabases } from '@quire/testbed/test-databases'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileOnce } from './compile-once.ts'
import { openStore, type Store } from './store.ts'

type Schema = { item: { id: string; count: number; note: string | null } }
type Item = Schema['item']

let built = 0
const insertItem = compileOnce((db: Kysely<Schema>, row: Item) => {
  built += 1
  return db.insertInto('item').values(row)
})
const addCount = compileOnce((db: Kysely<Schema>, { id, more }: { id: string; more: number }) =>
  db
    .updateTable('item')
    .set({ count: sql`count + ${more}`, note: 'added' })
    .where('id', '=', id)
    .returning('count'),
)

describe.each(testDatabases)('a query that is compiled once on $kind', ({ createDatabase }) => {
  let store: Store<Schema>
  let drop: () => Promise<void>

  beforeAll(async () => {
    const database = await createDatabase()
    drop = database.drop
    store = await openStore<Schema>(database.url)
    await sql`create table item (id text primary key, count bigint not null, note text)`.execute(store.db)
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  test('takes the values of each call, inside a transaction and outside', async () => {
    built = 0
    const rows: Item[] = [
      { id: 'first', count: 1, note: null },
      { id: 'second', count: 2, note: "'; drop table item; --" },
      { id: 'third', count: 3, note: '' },
    ]
    const { numAffectedRows } = await insertItem(store.db, rows[0] as Item)
    expect(numAffectedRows).toBe(1n)
    await store.transaction(async ({ db }) => {
      for (const row of rows.slice(1)) await insertItem(db, row)
    })
    expect(await store.db.selectFrom('item').selectAll().orderBy('count').execute()).toEqual(rows)
    expect(built).toBe(1)
  })

  test('gives rows back, and keeps its constants', async () => {
    expect((await addCount(store.db, { id: 'third', more: 4 })).rows).toEqual([{ count: 7 }])
    expect((await addCount(store.db, { id: 'nobody', more: 4 })).rows).toEqual([])
    const third = store.db.selectFrom('item').select(['count', 'note']).where('id', '=', 'third')
    expect(await third.executeTakeFirst()).toEqual({ count: 7, note: 'added' })
  })

  test('refuses what the store refuses', async () => {
    const row = { id: 'odd', count: Number.NaN, note: null }
    await expect(insertItem(store.db, row)).rejects.toThrow(/parameter|finite|number/i)
  })
})
