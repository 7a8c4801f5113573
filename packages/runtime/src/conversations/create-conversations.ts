import type { SpentUsage } from '@quire/agent/spent'
import { fromJson } from '@quire/kit/store/json'
import type { AnyStore } from '@quire/kit/store/store'
import type { Selectable } from 'kysely'
import type { TurnEngine } from '../turns/create-turns.ts'
import type { ConversationQuery, ConversationRecord, Conversations, StoredMessage } from './conversation.ts'
import type { RuntimeSchema } from './tables.ts'

/** What conversations need of their turns. */
type TurnsOfConversations = Pick<TurnEngine, 'cancel' | 'interruptExpired'>

type ConversationRow = Selectable<RuntimeSchema['runtime_conversation']>

const REMOVED_AT_ONCE = 200
const COLUMNS = [
  'id',
  'owner',
  'agent_id',
  'title',
  'created_at',
  'used_at',
  'status',
  'turn_id',
  'usage',
] as const

export function createConversations(
  anyStore: AnyStore,
  { cancel, interruptExpired }: TurnsOfConversations,
): Conversations {
  const store = anyStore.as<RuntimeSchema>()

  const ofQuery = ({ owner, agentId }: ConversationQuery) => {
    const query = store.db.selectFrom('runtime_conversation').where('owner', '=', owner)
    return agentId === undefined ? query : query.where('agent_id', '=', agentId)
  }

  async function list(query: ConversationQuery) {
    await interruptExpired()
    const { limit, offset } = query
    const { total } = await ofQuery(query)
      .select((build) => build.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    let page = ofQuery(query).select(COLUMNS).orderBy('used_at', 'desc').orderBy('id', 'desc')
    // SQLite takes no offset without a limit.
    if (limit !== undefined || offset !== undefined) page = page.limit(limit ?? total)
    if (offset !== undefined) page = page.offset(offset)
    return { conversations: (await page.execute()).map(toRecord), total }
  }

  async function find(owner: string, id: string): Promise<ConversationRecord | undefined> {
    const row = await readRow(owner, id)
    if (row?.status !== 'running') return row && toRecord(row)
    await interruptExpired(row.turn_id)
    const current = await readRow(owner, id)
    return current && toRecord(current)
  }

  async function readRow(owner: string, id: string) {
    return store.db
      .selectFrom('runtime_conversation')
      .select(COLUMNS)
      .where('id', '=', id)
      .where('owner', '=', owner)
      .executeTakeFirst()
  }

  async function messages(id: string): Promise<readonly StoredMessage[]> {
    const rows = await store.db
      .selectFrom('runtime_message')
      .selectAll()
      .where('conversation_id', '=', id)
      .orderBy('number')
      .execute()
    return rows.map((row) =>
      Object.freeze({
        id: `${row.turn_id}-${row.number}`,
        message: fromJson<StoredMessage['message']>(row.message),
        status: row.status,
        ...(row.usage !== null && { usage: fromJson<SpentUsage>(row.usage) }),
        turnId: row.turn_id,
        createdAt: row.created_at,
      }),
    )
  }

  async function remove(owner: string, id: string): Promise<boolean> {
    const row = await readRow(owner, id)
    if (row === undefined) return false
    if (row.status === 'running' || row.status === 'waiting') await cancel(owner, id)
    return (await removeAll([id])) > 0
  }

  /** A turn that still runs somewhere finds nothing to write to. */
  async function removeAll(ids: readonly string[], unusedSince?: number): Promise<number> {
    return store.transaction(async ({ db }) => {
      let removal = db.deleteFrom('runtime_conversation').where('id', 'in', ids)
      if (unusedSince !== undefined)
        removal = removal.where('used_at', '<', unusedSince).where('status', '!=', 'running')
      const removed = (await removal.returning('id').execute()).map((row) => row.id)
      if (removed.length === 0) return 0
      const turns = db.selectFrom('runtime_turn').select('id').where('conversation_id', 'in', removed)
      await db.deleteFrom('runtime_approval').where('turn_id', 'in', turns).execute()
      await db.deleteFrom('runtime_turn').where('conversation_id', 'in', removed).execute()
      await db.deleteFrom('runtime_message').where('conversation_id', 'in', removed).execute()
      return removed.length
    })
  }

  async function removeUnusedSince(time: Date): Promise<number> {
    await interruptExpired()
    for (let count = 0; ; ) {
      const rows = await store.db
        .selectFrom('runtime_conversation')
        .select('id')
        .where('used_at', '<', time.getTime())
        .where('status', '!=', 'running')
        .limit(REMOVED_AT_ONCE)
        .execute()
      if (rows.length === 0) return count
      const ids = rows.map(({ id }) => id).sort()
      count += await removeAll(ids, time.getTime())
    }
  }

  return Object.freeze({ list, find, messages, remove, removeUnusedSince } satisfies Conversations)
}

function toRecord(row: Pick<ConversationRow, (typeof COLUMNS)[number]>): ConversationRecord {
  return Object.freeze({
    id: row.id,
    owner: row.owner,
    agentId: row.agent_id,
    title: row.title,
    createdAt: row.created_at,
    updatedAt: new Date(row.used_at).toISOString(),
    status: row.status,
    usage: fromJson<SpentUsage>(row.usage),
  })
}
