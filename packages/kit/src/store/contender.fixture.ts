import { sql } from 'kysely'
import { openStore, type Store } from './store.ts'

/** One of several processes that open the same database at the same moment. Arguments: address, number of increments. */
const [url = '', increments = '0'] = process.argv.slice(2)
const store = await openStore<{ counter: { value: number } }>(url)

await store.migrate('contender', {
  '001_table': {
    up: async (db: Store['db']) => {
      await db.schema.createTable('counter').addColumn('value', 'integer').execute()
      await sql`insert into counter values (0)`.execute(db)
    },
  },
  '002_column': {
    up: async (db: Store['db']) => db.schema.alterTable('counter').addColumn('note', 'text').execute(),
  },
})

for (let turn = 0; turn < Number(increments); turn++)
  await store.transaction(async ({ db }) => {
    // Reads before it writes. On PostgreSQL the update locks the row by itself.
    if (store.kind === 'postgres') return db.updateTable('counter').set('value', sql`value + 1`).execute()
    const { value } = await db.selectFrom('counter').select('value').executeTakeFirstOrThrow()
    return db
      .updateTable('counter')
      .set({ value: value + 1 })
      .execute()
  })

await store.close()
