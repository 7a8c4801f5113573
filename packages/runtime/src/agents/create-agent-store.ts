import { CallerError } from '@quire/kit/errors'
import { compileOnce } from '@quire/kit/store/compile-once'
import { isUniqueViolation } from '@quire/kit/store/errors'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { AnyStore } from '@quire/kit/store/store'
import type { Kysely, Selectable } from 'kysely'
import type { RuntimeSchema } from '../conversations/tables.ts'
import type { AgentPatch, AgentRecord, AgentStore, AgentSummary } from './agent-record.ts'

/** What a row holds apart from its system prompt. */
type Definition = Omit<AgentSummary, 'id' | 'createdAt' | 'updatedAt'>
type AgentRow = Selectable<RuntimeSchema['runtime_agent']>

const LISTED = ['id', 'definition', 'created_at', 'updated_at'] as const

export function createAgentStore(
  anyStore: AnyStore,
  { now = () => new Date() }: { readonly now?: () => Date } = {},
): AgentStore {
  const store = anyStore.as<RuntimeSchema>()

  async function insert(agent: Omit<AgentRecord, 'createdAt' | 'updatedAt'>): Promise<AgentRecord> {
    const { id, systemPrompt } = agent
    const at = now().toISOString()
    const definition = toDefinition(agent)
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
          system_prompt: toJson(systemPrompt),
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
    return Object.freeze({ id, ...definition, systemPrompt, createdAt: at, updatedAt: at })
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
      const agent = { ...toRecord(row), ...withoutAbsent(patch), id }
      await db
        .updateTable('runtime_agent')
        .set({ definition: toJson(toDefinition(agent)), system_prompt: toJson(agent.systemPrompt) })
        .where('id', '=', id)
        .execute()
      return Object.freeze({
        ...toDefinition(agent),
        id,
        systemPrompt: agent.systemPrompt,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      })
    })
  }

  return Object.freeze({
    async list() {
      const rows = await store.db
        .selectFrom('runtime_agent')
        .select(LISTED)
        .orderBy('number')
        .orderBy('id')
        .execute()
      return rows.map((row) => Object.freeze(toSummary(row)))
    },
    async find(id) {
      const { rows } = await findAgent(store.db, { id })
      const [row] = rows
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

const findAgent = compileOnce((db: Kysely<RuntimeSchema>, { id }: { readonly id: string }) =>
  db.selectFrom('runtime_agent').selectAll().where('id', '=', id),
)

function toRecord(row: AgentRow): AgentRecord {
  return Object.freeze({ ...toSummary(row), systemPrompt: fromJson<string>(row.system_prompt) })
}

function toSummary(row: Pick<AgentRow, (typeof LISTED)[number]>): AgentSummary {
  const { id, definition, created_at, updated_at } = row
  return { id, ...fromJson<Definition>(definition), createdAt: created_at, updatedAt: updated_at }
}

/** Nothing but what belongs there, whatever the caller's object holds beside it. */
function toDefinition(agent: Definition): Definition {
  const { name, description, transport, model, mcpToolsets, maxSteps, toolApproval } = agent
  return { name, description, transport, model, mcpToolsets, maxSteps, toolApproval }
}

function withoutAbsent(patch: AgentPatch): AgentPatch {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}
