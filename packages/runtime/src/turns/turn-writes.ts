import type { AssistantMessage, Message, ToolCall } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import { compileOnce } from '@quire/kit/store/compile-once'
import { toJson } from '@quire/kit/store/json'
import type { Transaction } from '@quire/kit/store/store'
import { type Kysely, sql } from 'kysely'
import type { ConversationStatus, MessageStatus } from '../conversations/conversation.ts'
import type { RuntimeSchema } from '../conversations/tables.ts'
import type { Outcome } from './turn-result.ts'
import { CancelRequested, leaseEnd, TURN_CHANNEL, TurnLost, type TurnStore } from './turn-store.ts'
import type { TurnStatus } from './turns.ts'

/** A message on its way into the journal. */
export interface NewMessage {
  readonly message: Message
  readonly status: MessageStatus
  readonly spent?: SpentUsage | undefined
}

export interface TurnKey {
  readonly turnId: string
  readonly conversationId: string
}

export interface Written {
  /** As it is stored. */
  readonly bytes: number
  /** Somebody wants the turn cancelled. */
  readonly isCancelRequested: boolean
}

/**
 * One message, while the turn goes on. Throws `TurnLost`. Throws `CancelRequested` where somebody wants the turn cancelled and calls of tools would
 * follow: none begins after a cancel was answered. What a tool has answered is kept all the same.
 */
export async function writeMessage(
  turns: TurnStore,
  key: TurnKey,
  number: number,
  message: NewMessage,
): Promise<Written> {
  return turns.store.transaction(async (tx) => {
    const row = await tx.db
      .updateTable('runtime_turn')
      .set({ lease_until: leaseEnd(turns) })
      .where('id', '=', key.turnId)
      .where('runner', '=', turns.runner)
      .where('state', '=', 'running')
      .returning('cancel_requested')
      .executeTakeFirst()
    if (row === undefined) throw new TurnLost(key.turnId)
    const isCancelRequested = row.cancel_requested === 1
    if (isCancelRequested && message.message.role === 'assistant') throw new CancelRequested(key.turnId)
    const bytes = await insertMessages(turns, tx, key, number, [message])
    await turns.store.notify(TURN_CHANNEL, key.turnId, tx)
    return { bytes, isCancelRequested }
  })
}

export interface TurnEnd {
  readonly key: TurnKey
  readonly outcome: Outcome
  /** Of the whole conversation. */
  readonly spent: SpentUsage
  /** Of what this run has stored before. */
  readonly bytes: number
  /** Of the first of the messages. */
  readonly number: number
  readonly messages: readonly NewMessage[]
  /** What it waits for. */
  readonly pending: readonly PendingCall[]
}

export interface PendingCall extends ToolCall {
  /** Of the tool, as it is when somebody is asked. */
  readonly definition: string | undefined
}

/** The last messages and the end of the turn, in one commit. Throws `TurnLost`, and `CancelRequested` where it would wait for a person. */
export async function writeEnd(turns: TurnStore, end: TurnEnd): Promise<void> {
  const { key, outcome, number, messages, pending } = end
  await turns.store.transaction(async (tx) => {
    // The conversation comes before the turn wherever both are written.
    await writeConversation(turns, tx, key, {
      status: outcome.status,
      spent: end.spent,
      nextNumber: number + messages.length,
      bytes: end.bytes + messages.reduce((sum, { message }) => sum + Buffer.byteLength(toJson(message)), 0),
    })
    const { rows } = await updateTurn(tx.db, {
      id: key.turnId,
      runner: turns.runner,
      state: outcome.status,
      usage: toJson(outcome.usage),
      error: outcome.error === undefined ? null : toJson(outcome.error),
    })
    const [row] = rows
    if (row === undefined) throw new TurnLost(key.turnId)
    // Nobody is asked any more: whoever wanted it cancelled was told that it will be.
    if (outcome.status === 'waiting' && row.cancel_requested === 1) throw new CancelRequested(key.turnId)
    await insertMessages(turns, tx, key, number, messages)
    if (pending.length > 0) await insertPause(tx, key, number + messages.length - 1, pending)
    await turns.store.notify(TURN_CHANNEL, key.turnId, tx)
  })
}

type TurnUpdate = Pick<RuntimeSchema['runtime_turn'], 'id' | 'state' | 'usage' | 'error'> & {
  readonly runner: string
}

const updateTurn = compileOnce((db: Kysely<RuntimeSchema>, { id, runner, ...end }: TurnUpdate) =>
  db
    .updateTable('runtime_turn')
    .set({ ...end, runner: null, partial: null })
    .where('id', '=', id)
    .where('runner', '=', runner)
    .where('state', '=', 'running')
    .returning('cancel_requested'),
)

export interface ConversationChange {
  readonly status: TurnStatus
  readonly spent: SpentUsage
  readonly nextNumber: number
  /** That were added. */
  readonly bytes: number
}

export async function writeConversation(
  turns: TurnStore,
  { db }: Transaction<RuntimeSchema>,
  { conversationId, turnId }: TurnKey,
  { status, spent, nextNumber, bytes }: ConversationChange,
): Promise<void> {
  await updateConversation(db, {
    id: conversationId,
    turn_id: turnId,
    status: toConversationStatus(status),
    used_at: turns.now().getTime(),
    next_number: nextNumber,
    usage: toJson(spent),
    bytes,
  })
}

type ConversationUpdate = Pick<
  RuntimeSchema['runtime_conversation'],
  'id' | 'turn_id' | 'status' | 'used_at' | 'next_number' | 'usage' | 'bytes'
>

const updateConversation = compileOnce(
  (db: Kysely<RuntimeSchema>, { id, turn_id, bytes, ...change }: ConversationUpdate) =>
    db
      .updateTable('runtime_conversation')
      .set({ ...change, bytes: sql`bytes + ${bytes}` })
      .where('id', '=', id)
      .where('turn_id', '=', turn_id),
)

/** Returns how many bytes they have as they are stored. */
export async function insertMessages(
  turns: TurnStore,
  { db }: Transaction<RuntimeSchema>,
  { conversationId, turnId }: TurnKey,
  number: number,
  messages: readonly NewMessage[],
): Promise<number> {
  const at = turns.now().toISOString()
  const rows = messages.map(({ message, status, spent }, index) => ({
    conversation_id: conversationId,
    number: number + index,
    turn_id: turnId,
    message: toJson(message),
    status,
    usage: spent === undefined ? null : toJson(spent),
    created_at: at,
  }))
  for (const row of rows) await insertMessage(db, row)
  return rows.reduce((sum, row) => sum + Buffer.byteLength(row.message), 0)
}

export const insertMessage = compileOnce((db: Kysely<RuntimeSchema>, row: RuntimeSchema['runtime_message']) =>
  db.insertInto('runtime_message').values(row),
)

/** What was said of an answer that will not be finished. */
export function toPartial(text: string): NewMessage {
  const message: AssistantMessage = { role: 'assistant', parts: [{ type: 'text', text }] }
  return { message, status: 'partial' }
}

async function insertPause(
  { db }: Transaction<RuntimeSchema>,
  { turnId }: TurnKey,
  afterNumber: number,
  pending: readonly PendingCall[],
): Promise<void> {
  const rows = pending.map(({ id, name, args, definition }, ordinal) => ({
    turn_id: turnId,
    after_number: afterNumber,
    ordinal,
    call: toJson({ id, name, args }),
    tool: definition ?? null,
    decision: null,
  }))
  for (const some of chunksOf(rows)) await db.insertInto('runtime_approval').values(some).execute()
}

/** A statement takes so many values and no more. */
const ROWS_AT_ONCE = 500

function* chunksOf<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    yield rows.slice(start, start + ROWS_AT_ONCE)
}

function toConversationStatus(status: TurnStatus): ConversationStatus {
  return status === 'complete' ? 'idle' : status
}
