import { openStore } from '@quire/kit/store/store'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentStore } from '../agents/create-agent-store.ts'
import { migrateTables, type RuntimeSchema } from './tables.ts'

test.each(testDatabases)('a database of before on $kind keeps what it holds', async ({ createDatabase }) => {
  const { url, drop } = await createDatabase()
  const store = await openStore<RuntimeSchema>(url)
  onTestFinished(async () => {
    await store.close()
    await drop()
  })
  await migrateTables(store)
  // As the first migration leaves it.
  for (const [table, column] of [
    ['runtime_agent', 'system_prompt'],
    ['runtime_conversation', 'bytes'],
    ['runtime_approval', 'tool'],
  ] as const)
    await sql`alter table ${sql.ref(table)} drop column ${sql.ref(column)}`.execute(store.db)
  await sql`delete from runtime_migration where name = '002_bounds'`.execute(store.db)
  const definition = { name: 'Old', systemPrompt: 'Mind this.', mcpToolsets: ['*'], maxSteps: 3 }
  await sql`insert into runtime_agent values ('old', 1, ${JSON.stringify(definition)}, 'then', 'then')`.execute(
    store.db,
  )
  await sql`
    insert into runtime_conversation (id, owner, agent_id, title, created_at, used_at, status, turn_id, next_number, usage, summary_number)
    values ('c', 'ada', 'old', 't', 'then', 1, 'idle', 't', 3, '{}', 0), ('empty', 'ada', 'old', 't', 'then', 1, 'idle', 't', 1, '{}', 0)`.execute(
    store.db,
  )
  await sql`
    insert into runtime_message (conversation_id, number, turn_id, message, status, created_at)
    values ('c', 1, 't', 'ü', 'complete', ''), ('c', 2, 't', 'abc', 'complete', ''), ('c', 3, 't', 'under way', 'complete', '')`.execute(
    store.db,
  )

  await migrateTables(store)
  expect(await createAgentStore(store).find('old')).toStrictEqual({
    id: 'old',
    ...definition,
    createdAt: 'then',
    updatedAt: 'then',
  })
  const rows = await store.db.selectFrom('runtime_conversation').select('bytes').orderBy('id').execute()
  expect(rows.map(({ bytes }) => bytes)).toStrictEqual([5, 0])
})
