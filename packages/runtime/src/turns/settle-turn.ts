import { addSpent, NOTHING_SPENT } from '@quire/agent/spent'
import { errorResult } from '@quire/agent/tool'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { Transaction } from '@quire/kit/store/store'
import { sql } from 'kysely'
import type { RuntimeSchema } from '../conversations/tables.ts'
import { errorOfStatus } from './turn-error.ts'
import { unansweredIn } from './turn-items.ts'
import { isLeaseOver, messageOf, spentOf, TURN_CHANNEL, type TurnStore, usageOf } from './turn-store.ts'
import { insertMessages, type NewMessage, type TurnKey, toPartial, writeConversation } from './turn-writes.ts'

const UNKNOWN_OUTCOME =
  'It is not known whether this call ran: the turn was cut off before its result was stored. Look before you repeat it.'
/** Looked at in one round. */
const MOST_EXPIRED = 1_000
const NEVER_DECIDED = 'This call was not run: the turn was cancelled before anybody had decided about it.'

/** Results for calls that will never get one, so that the conversation can be gone on with. */
export function toLostResults(
  calls: readonly { readonly id: string; readonly name: string }[],
  text = UNKNOWN_OUTCOME,
): NewMessage[] {
  return calls.map(({ id, name }) => ({
    message: { role: 'tool', callId: id, name, result: errorResult(text) },
    status: 'complete',
  }))
}

/**
 * Ends a turn that no process runs: one whose lease is over is interrupted, one that waits is cancelled. False where it is neither (any more): the
 * first of several who try does it.
 */
export async function settleStored(
  turns: TurnStore,
  key: TurnKey,
  status: 'interrupted' | 'cancelled',
): Promise<boolean> {
  const isSettled = await turns.store.transaction(async (tx) => {
    await lockConversation(tx, key)
    const error = errorOfStatus(status)
    let change = tx.db
      .updateTable('runtime_turn')
      .set({ state: status, runner: null, error: error === undefined ? null : toJson(error) })
      .where('id', '=', key.turnId)
    change =
      status === 'cancelled'
        ? change.where('state', '=', 'waiting')
        : change.where('state', '=', 'running').where(isLeaseOver(turns))
    const { numUpdatedRows } = await change.executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await closeJournal(turns, tx, key, status)
    await turns.store.notify(TURN_CHANNEL, key.turnId, tx)
    return true
  })
  if (isSettled) turns.metrics?.ended(status)
  return isSettled
}

/** The row is written before that of its turn wherever both are: two who did it the other way round would wait for each other. */
export async function lockConversation(
  { db }: Transaction<RuntimeSchema>,
  { conversationId }: Pick<TurnKey, 'conversationId'>,
): Promise<void> {
  await db
    .updateTable('runtime_conversation')
    .set({ used_at: sql`used_at` })
    .where('id', '=', conversationId)
    .execute()
}

async function closeJournal(
  turns: TurnStore,
  tx: Transaction<RuntimeSchema>,
  key: TurnKey,
  status: 'interrupted' | 'cancelled',
): Promise<void> {
  const turn = await tx.db
    .selectFrom('runtime_turn')
    .select(['partial', 'partial_number', 'first_number', 'usage'])
    .where('id', '=', key.turnId)
    .executeTakeFirstOrThrow()
  const conversation = await tx.db
    .selectFrom('runtime_conversation')
    .select(['next_number', 'usage'])
    .where('id', '=', key.conversationId)
    .executeTakeFirstOrThrow()
  const own = await tx.db
    .selectFrom('runtime_message')
    .select(['number', 'message', 'usage'])
    .where('conversation_id', '=', key.conversationId)
    .where('number', '>=', turn.first_number)
    .orderBy('number')
    .execute()
  // What was there at the begin, or at the last pause, is in both sums already.
  const fresh = own.filter(({ number }) => number >= conversation.next_number)
  const spent = fresh.map(spentOf).reduce(addSpent, NOTHING_SPENT)
  const last = own.at(-1)?.number ?? turn.first_number
  const calls = unansweredIn(own.map(messageOf))
  const added = toLostResults(calls, status === 'cancelled' ? NEVER_DECIDED : UNKNOWN_OUTCOME)
  if (turn.partial !== null && turn.partial_number > last)
    added.push(toPartial(fromJson<string>(turn.partial)))
  const bytes = await insertMessages(turns, tx, key, last + 1, added)
  await tx.db
    .updateTable('runtime_turn')
    .set({ partial: null, usage: toJson(addSpent(usageOf(turn), spent)) })
    .where('id', '=', key.turnId)
    .execute()
  await writeConversation(turns, tx, key, {
    status,
    spent: addSpent(usageOf(conversation), spent),
    nextNumber: last + 1 + added.length,
    bytes: fresh.reduce((sum, { message }) => sum + Buffer.byteLength(message), bytes),
  })
}

/** The turns that no process runs any more though nobody has settled them yet; those of `isRunning` are this one's own. */
export async function findExpired(
  turns: TurnStore,
  isRunning: (turnId: string) => boolean,
  turnId?: string,
): Promise<readonly TurnKey[]> {
  let query = turns.store.db
    .selectFrom('runtime_turn')
    .select(['id', 'conversation_id'])
    // Written out, so that the index of the few that run is of use.
    .where('state', '=', sql.lit('running'))
    .where(isLeaseOver(turns))
  if (turnId !== undefined) query = query.where('id', '=', turnId)
  const rows = await query.limit(MOST_EXPIRED).execute()
  return rows
    .filter(({ id }) => !isRunning(id))
    .map(({ id, conversation_id }) => ({ turnId: id, conversationId: conversation_id }))
}
