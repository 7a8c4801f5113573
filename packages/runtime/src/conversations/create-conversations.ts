import { setImmediate } from 'node:timers/promises'
import type { ToolCall } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import { fromJson } from '@quire/kit/store/json'
import type { AnyStore } from '@quire/kit/store/store'
import type { Selectable } from 'kysely'
import type { TurnEngine } from '../turns/create-turns.ts'
import { errorOf } from '../turns/turn-store.ts'
import type { TurnStatus } from '../turns/turns.ts'
import type {
  ConversationQuery,
  ConversationRecord,
  Conversations,
  LastTurn,
  MessagePage,
  MessageRange,
  StoredMessage,
} from './conversation.ts'
import { createOpenCalls, isFullPage, lastOfPage, PAGE_MESSAGES } from './message-pages.ts'
import type { RuntimeSchema } from './tables.ts'

/** What conversations need of their turns. */
type TurnsOfConversations = Pick<TurnEngine, 'cancel' | 'interruptExpired' | 'findAbandoned'>

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
  { cancel, interruptExpired, findAbandoned }: TurnsOfConversations,
): Conversations {
  const store = anyStore.as<RuntimeSchema>()

  /** Those whose turn is abandoned stand as interrupted, whoever settles them later. */
  const ofQuery = ({ owner, agentId, status }: ConversationQuery, abandoned: readonly string[]) => {
    let query = store.db.selectFrom('runtime_conversation').where('owner', '=', owner)
    if (agentId !== undefined) query = query.where('agent_id', '=', agentId)
    if (status === undefined) return query
    if (abandoned.length === 0 || (status !== 'running' && status !== 'interrupted'))
      return query.where('status', '=', status)
    return status === 'running'
      ? query.where('status', '=', status).where('turn_id', 'not in', abandoned)
      : query.where((build) => build.or([build('status', '=', status), build('turn_id', 'in', abandoned)]))
  }

  async function list(query: ConversationQuery) {
    const abandoned = await findAbandoned()
    const { limit, offset } = query
    const { total } = await ofQuery(query, abandoned)
      .select((build) => build.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    let page = ofQuery(query, abandoned).select(COLUMNS).orderBy('used_at', 'desc').orderBy('id', 'desc')
    // SQLite takes no offset without a limit.
    if (limit !== undefined || offset !== undefined) page = page.limit(limit ?? total)
    if (offset !== undefined) page = page.offset(offset)
    const rows = await page.execute()
    return { conversations: rows.map((row) => toRecord(row, abandoned)), total }
  }

  async function find(owner: string, id: string): Promise<ConversationRecord | undefined> {
    const row = await readRow(owner, id)
    return row && toRecord(row, row.status === 'running' ? await findAbandoned(row.turn_id) : [])
  }

  async function readRow(owner: string, id: string) {
    return store.db
      .selectFrom('runtime_conversation')
      .select(COLUMNS)
      .where('id', '=', id)
      .where('owner', '=', owner)
      .executeTakeFirst()
  }

  async function* messages(id: string, { turnId, upTo }: MessageRange = {}): AsyncIterable<MessagePage> {
    const first = turnId === undefined ? 1 : await firstNumberOf(id, turnId)
    if (first === undefined) return
    let limit = PAGE_MESSAGES
    for (let after = first - 1; ; ) {
      let query = store.db
        .selectFrom('runtime_message')
        .selectAll()
        .where('conversation_id', '=', id)
        .where('number', '>', after)
        .where('number', '<=', lastOfPage({ conversationId: id, after, limit }))
      if (upTo !== undefined) query = query.where('number', '<=', upTo)
      const rows = await query.orderBy('number').execute()
      const wanted = turnId === undefined ? rows : rows.filter((row) => row.turn_id === turnId)
      const last = wanted.at(-1)
      if (last === undefined) return
      const isLast = wanted.length < rows.length || !isFullPage(rows, limit)
      yield { messages: wanted.map(toMessage), lastNumber: last.number, isLast }
      if (isLast) return
      after = last.number
      limit = Math.min(PAGE_MESSAGES, 2 * rows.length)
      // The database may answer at once, and the reader take it at once: others come in between.
      await setImmediate()
    }
  }

  async function firstNumberOf(id: string, turnId: string): Promise<number | undefined> {
    const row = await store.db
      .selectFrom('runtime_turn')
      .select('first_number')
      .where('id', '=', turnId)
      .where('conversation_id', '=', id)
      .executeTakeFirst()
    return row?.first_number
  }

  async function lastTurn(id: string): Promise<LastTurn> {
    const turn = await store.db
      .selectFrom('runtime_turn')
      .select(['id', 'state', 'error'])
      .where('id', '=', (build) =>
        build.selectFrom('runtime_conversation').select('turn_id').where('runtime_conversation.id', '=', id),
      )
      .executeTakeFirst()
    if (turn === undefined) return { pending: [], unanswered: new Set(), lastNumber: undefined }
    const error = errorOf(turn)
    const pending = turn.state === 'waiting' ? await readPending(turn.id) : []
    return { ...(error !== undefined && { error }), pending, ...(await readUnanswered(id, turn)) }
  }

  /** A turn that is over has an answer to each of its calls. */
  async function readUnanswered(
    id: string,
    turn: { readonly id: string; readonly state: TurnStatus },
  ): Promise<Pick<LastTurn, 'unanswered' | 'lastNumber'>> {
    const calls = createOpenCalls()
    if (turn.state !== 'running' && turn.state !== 'waiting')
      return { unanswered: calls.ids(), lastNumber: undefined }
    let lastNumber = 0
    for await (const page of messages(id, { turnId: turn.id })) {
      for (const { message } of page.messages) calls.take(message)
      lastNumber = page.lastNumber
    }
    return { unanswered: calls.ids(), lastNumber }
  }

  async function readPending(turnId: string): Promise<readonly ToolCall[]> {
    const rows = await store.db
      .selectFrom('runtime_approval')
      .select('call')
      .where('turn_id', '=', turnId)
      .where('decision', 'is', null)
      .orderBy('after_number')
      .orderBy('ordinal')
      .execute()
    return rows.map(({ call }) => fromJson<ToolCall>(call))
  }

  async function agentIds(owner: string): Promise<readonly string[]> {
    const rows = await store.db
      .selectFrom('runtime_conversation')
      .select('agent_id')
      .distinct()
      .where('owner', '=', owner)
      .execute()
    return rows.map(({ agent_id }) => agent_id)
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

  return Object.freeze({
    list,
    find,
    messages,
    lastTurn,
    agentIds,
    remove,
    removeUnusedSince,
  } satisfies Conversations)
}

function toMessage(row: Selectable<RuntimeSchema['runtime_message']>): StoredMessage {
  return Object.freeze({
    id: `${row.turn_id}-${row.number}`,
    message: fromJson<StoredMessage['message']>(row.message),
    status: row.status,
    ...(row.usage !== null && { usage: fromJson<SpentUsage>(row.usage) }),
    turnId: row.turn_id,
    createdAt: row.created_at,
  })
}

function toRecord(
  row: Pick<ConversationRow, (typeof COLUMNS)[number]>,
  abandoned: readonly string[],
): ConversationRecord {
  return Object.freeze({
    id: row.id,
    owner: row.owner,
    agentId: row.agent_id,
    title: row.title,
    createdAt: row.created_at,
    updatedAt: new Date(row.used_at).toISOString(),
    status: abandoned.includes(row.turn_id) ? 'interrupted' : row.status,
    usage: fromJson<SpentUsage>(row.usage),
  })
}
