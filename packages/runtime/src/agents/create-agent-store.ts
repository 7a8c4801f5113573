import { CallerError } from '@quire/kit/errors'
import { isUniqueViolation } from '@quire/kit/store/errors'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { AnyStore } from '@quire/kit/store/store'
import type { Selectable } from 'kysely'
import type { RuntimeSchema } from '../conversations/tables.ts'
import type { AgentPatch, AgentRecord, AgentStore } from './agent-record.ts'

type Definition = Omit<AgentRecord, 'id' | 'createdAt' | 'updatedAt'>
type AgentRow = Selectable<RuntimeSchema['runtime_agent']>

export function createAgentStore(
  anyStore: AnyStore,
  { now = () => new Date() }: { readonly now?: () => Date } = {},
): AgentStore {
  const store = anyStore.as<RuntimeSchema>()

  async function insert({ id, ...rest }: Omit<AgentRecord, 'createdAt' | 'updatedAt'>): Promise<AgentRecord> {
    const at = now().toISOString()
    const definition = toDefinition(rest)
    try {
      await store.db
        .insertInto('runtime_agent')
        .values((build) => ({
          id,
          // Two at the same time may get one number: then their ids decide.
          number: build
            .selectFrom('runtime_agent')
            .select((max) =>
              max(max.fn.coalesce(max.fn.max('number'), max.lit(0)), '+', max.lit(1)).as('next'),
            ),
          definition: toJson(definition),
          created_at: at,
          updated_at: at,
        }))
        .execute()
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new CallerError(
        'conflict',
        `There is an agent with the id ${JSON.stringify(id)} already: choose another id, or change that one with PUT.`,
      )
    }
    return Object.freeze({ id, ...definition, createdAt: at, updatedAt: at })
  }

  async function update(id: string, patch: AgentPatch): Promise<AgentRecord | undefined> {
    return store.transaction(async ({ db }) => {
      // The first statement takes the row: of two changes at once the second sees the first.
      await db
        .updateTable('runtime_agent')
        .set({ updated_at: now().toISOString() })
        .where('id', '=', id)
        .execute()
      const row = await db.selectFrom('runtime_agent').selectAll().where('id', '=', id).executeTakeFirst()
      if (row === undefined) return undefined
      const definition = toDefinition({ ...fromJson<Definition>(row.definition), ...withoutAbsent(patch) })
      await db
        .updateTable('runtime_agent')
        .set({ definition: toJson(definition) })
        .where('id', '=', id)
        .execute()
      return Object.freeze({ id, ...definition, createdAt: row.created_at, updatedAt: row.updated_at })
    })
  }

  return Object.freeze({
    async list() {
      const rows = await store.db
        .selectFrom('runtime_agent')
        .selectAll()
        .orderBy('number')
        .orderBy('id')
        .execute()
      return rows.map(toRecord)
    },
    async find(id) {
      const row = await store.db
        .selectFrom('runtime_agent')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      return row && toRecord(row)
    },
    insert,
    update,
    async remove(id) {
      const { numDeletedRows } = await store.db
        .deleteFrom('runtime_agent')
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  } satisfies AgentStore)
}

function toRecord(row: AgentRow): AgentRecord {
  const { id, definition, created_at, updated_at } = row
  return Object.freeze({
    id,
    ...fromJson<Definition>(definition),
    createdAt: created_at,
    updatedAt: updated_at,
  })
}

/** Nothing but what belongs there, whatever the caller's object holds beside it. */
function toDefinition(agent: Definition): Definition {
  const { name, description, transport, model, systemPrompt, mcpToolsets, maxSteps, toolApproval } = agent
  return { name, description, transport, model, systemPrompt, mcpToolsets, maxSteps, toolApproval }
}

function withoutAbsent(patch: AgentPatch): AgentPatch {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}
