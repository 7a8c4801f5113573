import type { ToolCall } from '@quire/agent/message'
import type { Decision } from '@quire/agent/run-agent'
import type { SpentUsage } from '@quire/agent/spent'
import { CallerError } from '@quire/kit/errors'
import { fromJson, toJson } from '@quire/kit/store/json'
import { notFound } from './begin-turn.ts'
import { lockConversation } from './settle-turn.ts'
import { decisionOf, leaseEnd, type TurnRow, type TurnStore } from './turn-store.ts'
import type { DecisionRequest } from './turns.ts'

/** All is decided: this process runs the turn from here on. */
export interface Decided {
  readonly turn: TurnRow
  readonly decisions: ReadonlyMap<string, Decision>
  /** Of the tools, as they were when somebody was asked, by the id of the call. */
  readonly definitions: ReadonlyMap<string, string | null>
  readonly conversationSpent: SpentUsage
  /** Of its next message. */
  readonly number: number
}

/** Stores one decision; undefined while others are missing. */
export async function decideTurn(turns: TurnStore, request: DecisionRequest): Promise<Decided | undefined> {
  const { owner, conversationId, callId, isApproved, args, reason } = request
  const decision: Decision = {
    isApproved,
    ...(args !== undefined && { args }),
    ...(reason !== undefined && { reason }),
  }
  return turns.store.transaction(async (tx) => {
    // Two who decide at the same time come one after the other, so that the second sees that it is the last.
    await lockConversation(tx, { conversationId })
    const conversation = await tx.db
      .selectFrom('runtime_conversation')
      .select(['turn_id', 'usage', 'next_number'])
      .where('id', '=', conversationId)
      .where('owner', '=', owner)
      .executeTakeFirst()
    if (conversation === undefined) throw notFound(conversationId)
    const turnId = conversation.turn_id
    const asked = await tx.db
      .selectFrom('runtime_approval')
      .selectAll()
      .where('turn_id', '=', turnId)
      .orderBy('after_number')
      .orderBy('ordinal')
      .execute()
    const row = asked.findLast(({ call }) => fromJson<ToolCall>(call).id === callId)
    if (row === undefined) throw unknownCall(callId)
    if (row.decision !== null) throw decidedAlready(callId)
    const turn = await tx.db
      .selectFrom('runtime_turn')
      .selectAll()
      .where('id', '=', turnId)
      .executeTakeFirstOrThrow()
    if (turn.state !== 'waiting') throw waitsNoMore(callId)

    await tx.db
      .updateTable('runtime_approval')
      .set({ decision: toJson(decision) })
      .where('turn_id', '=', turnId)
      .where('after_number', '=', row.after_number)
      .where('ordinal', '=', row.ordinal)
      .execute()
    const others = asked.filter((one) => one.after_number === row.after_number && one !== row)
    if (others.some((one) => one.decision === null)) return undefined

    await tx.db
      .updateTable('runtime_turn')
      .set({ state: 'running', runner: turns.runner, lease_until: leaseEnd(turns), cancel_requested: 0 })
      .where('id', '=', turnId)
      .execute()
    await tx.db
      .updateTable('runtime_conversation')
      .set({ status: 'running', used_at: turns.now().getTime() })
      .where('id', '=', conversationId)
      .execute()
    const decisions = new Map([[callId, decision]])
    const definitions = new Map([[callId, row.tool]])
    for (const { call, tool, decision: text } of others) {
      const { id } = fromJson<ToolCall>(call)
      definitions.set(id, tool)
      if (text !== null) decisions.set(id, decisionOf(text))
    }
    return {
      turn,
      decisions,
      definitions,
      conversationSpent: fromJson<SpentUsage>(conversation.usage),
      number: conversation.next_number,
    }
  })
}

function unknownCall(callId: string): CallerError {
  return new CallerError(
    'not_found',
    `The conversation waits for no decision on a call ${JSON.stringify(callId)}. GET /api/v1/conversations/{conversation_id} names those that it waits for, in pending_approvals.`,
  )
}

function decidedAlready(callId: string): CallerError {
  return new CallerError(
    'conflict',
    `The call ${JSON.stringify(callId)} was decided already, and a decision stands.`,
  )
}

function waitsNoMore(callId: string): CallerError {
  return new CallerError(
    'conflict',
    `The turn that asked for the call ${JSON.stringify(callId)} is over: there is nothing to decide any more.`,
  )
}
