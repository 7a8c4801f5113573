import { CallerError } from '@quire/kit/errors'
import type { AnyStore } from '@quire/kit/store/store'
import type { Kysely } from 'kysely'
import type { AgentStore } from './agents/agent-record.ts'
import { ALL_TOOLSETS } from './contract.ts'

type Schema = { runtime_seed: { name: string } }

const GUIDE = Object.freeze({
  id: 'guide',
  name: 'Guide',
  description:
    'A rule-based guide that needs no key: it shows what the tools can do, and calls them for you.',
  transport: 'streaming',
  model: 'builtin:guide',
  systemPrompt: '',
  mcpToolsets: [ALL_TOOLSETS],
  maxSteps: 20,
  toolApproval: false,
})

const MIGRATIONS = {
  '001_table': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('runtime_seed')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .execute()
    },
  },
}

/** A fresh database has one agent to talk to. It comes once: whoever deletes it is rid of it. */
export async function seedAgents(anyStore: AnyStore, agents: Pick<AgentStore, 'insert'>): Promise<void> {
  const { db, migrate } = anyStore.as<Schema>()
  await migrate('runtime_seed', MIGRATIONS)
  const seeded = await db
    .selectFrom('runtime_seed')
    .select('name')
    .where('name', '=', GUIDE.id)
    .executeTakeFirst()
  if (seeded) return
  await agents.insert(GUIDE).catch((error: unknown) => {
    // Another process was first, or this one was cut off before it could write down that it was done.
    if (!(error instanceof CallerError && error.problem.reason === 'conflict')) throw error
  })
  await db
    .insertInto('runtime_seed')
    .values({ name: GUIDE.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
