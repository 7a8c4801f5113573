import type { AssistantMessage, Message, ToolCall } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import { toJson } from '@quire/kit/store/json'
import type { Transaction } from '@quire/kit/store/store'
import type { ConversationStatus, MessageStatus } from '../conversations/conversation.ts'
import type { RuntimeSchema } from '../conversations/tables.ts'
import type { Outcome } from './turn-result.ts'
import { leaseEnd, TURN_CHANNEL, TurnLost, type TurnStore } from './turn-store.ts'
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

/** One message, while the turn goes on. Throws `TurnLost`. */
export async function writeMessage(
  turns: TurnStore,
  key: TurnKey,
  number: number,
  message: NewMessage,
): Promise<void> {
  await turns.store.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('runtime_turn')
      .set({ lease_until: leaseEnd(turns) })
      .where('id', '=', key.turnId)
      .where('runner', '=', turns.runner)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new TurnLost(key.turnId)
    await insertMessages(turns, tx, key, number, [message])
    await turns.store.notify(TURN_CHANNEL, key.turnId, tx)
  })
}

export interface TurnEnd {
  readonly key: TurnKey
  readonly outcome: Outcome
  /** Of the whole conversation. */
  readonly spent: SpentUsage
  /** Of the first of the messages. */
  readonly number: number
  readonly messages: readonly NewMessage[]
  /** What it waits for. */
  readonly pending: readonly ToolCall[]
}

/** The last messages and the end of the turn, in one commit. Throws `TurnLost`. */
export async function writeEnd(turns: TurnStore, end: TurnEnd): Promise<void> {
  const { key, outcome, number, messages, pending } = end
  await turns.store.transaction(async (tx) => {
    // The conversation comes before the turn wherever both are written.
    await writeConversation(turns, tx, key, {
      status: outcome.status,
      spent: end.spent,
      nextNumber: number + messages.length,
    })
    const { numUpdatedRows } = await tx.db
      .updateTable('runtime_turn')
      .set({
        state: outcome.status,
        runner: null,
        partial: null,
        usage: toJson(outcome.usage),
        error: outcome.error === undefined ? null : toJson(outcome.error),
      })
      .where('id', '=', key.turnId)
      .where('runner', '=', turns.runner)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new TurnLost(key.turnId)
    await insertMessages(turns, tx, key, number, messages)
    if (pending.length > 0) await insertPause(tx, key, number + messages.length - 1, pending)
    await turns.store.notify(TURN_CHANNEL, key.turnId, tx)
  })
}

export interface ConversationChange {
  readonly status: TurnStatus
  readonly spent: SpentUsage
  readonly nextNumber: number
}

export async function writeConversation(
  turns: TurnStore,
  { db }: Transaction<RuntimeSchema>,
  { conversationId, turnId }: TurnKey,
  { status, spent, nextNumber }: ConversationChange,
): Promise<void> {
  await db
    .updateTable('runtime_conversation')
    .set({
      status: toConversationStatus(status),
      used_at: turns.now().getTime(),
      next_number: nextNumber,
      usage: toJson(spent),
    })
    .where('id', '=', conversationId)
    .where('turn_id', '=', turnId)
    .execute()
}

export async function insertMessages(
  turns: TurnStore,
  { db }: Transaction<RuntimeSchema>,
  { conversationId, turnId }: TurnKey,
  number: number,
  messages: readonly NewMessage[],
): Promise<void> {
  if (messages.length === 0) return
  const at = turns.now().toISOString()
  await db
    .insertInto('runtime_message')
    .values(
      messages.map(({ message, status, spent }, index) => ({
        conversation_id: conversationId,
        number: number + index,
        turn_id: turnId,
        message: toJson(message),
        status,
        usage: spent === undefined ? null : toJson(spent),
        created_at: at,
      })),
    )
    .execute()
}

/** What was said of an answer that will not be finished. */
export function toPartial(text: string): NewMessage {
  const message: AssistantMessage = { role: 'assistant', parts: [{ type: 'text', text }] }
  return { message, status: 'partial' }
}

async function insertPause(
  { db }: Transaction<RuntimeSchema>,
  { turnId }: TurnKey,
  afterNumber: number,
  pending: readonly ToolCall[],
): Promise<void> {
  await db
    .insertInto('runtime_approval')
    .values(
      pending.map((call, ordinal) => ({
        turn_id: turnId,
        after_number: afterNumber,
        ordinal,
        call: toJson(call),
        decision: null,
      })),
    )
    .execute()
}

function toConversationStatus(status: TurnStatus): ConversationStatus {
  return status === 'complete' ? 'idle' : status
}
