import type { ToolCall } from '@quire/agent/message'
import type { Decision } from '@quire/agent/run-agent'
import { CallerError } from '@quire/kit/errors'
import type { TurnResult } from '../turns/turns.ts'
import type { TransportParts } from './parts.ts'
import { type Run, runOf } from './run.ts'
import { type TurnStep, turnSteps } from './turn-steps.ts'

export interface DecisionsRequest {
  readonly owner: string
  readonly agentId: string
  readonly conversationId: string
  /** By the id of the call. */
  readonly decisions: ReadonlyMap<string, Decision>
}

/** A turn that waits is read to its end at once; one that somebody else lets go on meanwhile is not. */
const READ_MS = 10_000

/** Stores what was decided, all of it or, where a call waits for nothing, none. The run begins behind what was shown before. */
export async function decideCalls(
  { turns, conversations }: Pick<TransportParts, 'turns' | 'conversations'>,
  { owner, agentId, conversationId, decisions }: DecisionsRequest,
): Promise<Run> {
  const record = await conversations.find(owner, conversationId)
  if (record?.agentId !== agentId)
    throw new CallerError(
      'not_found',
      `There is no conversation "${conversationId}" with the agent "${agentId}".`,
    )
  const waiting = record.status === 'waiting' ? await turns.join(owner, conversationId) : undefined
  if (!waiting) throw new CallerError('conflict', 'Nothing of this conversation waits for a decision.')

  const { pending, place, result } = await readWaiting(
    turnSteps(waiting, { signal: AbortSignal.timeout(READ_MS) }),
  )
  const unknown = [...decisions.keys()].filter((callId) => !pending.has(callId))
  if (unknown.length > 0)
    throw new CallerError(
      'conflict',
      `No call ${JSON.stringify(unknown[0])} waits for a decision. ${pending.size === 0 ? 'None does.' : `These do: ${[...pending.keys()].join(', ')}.`}`,
    )
  let resumed: Awaited<ReturnType<typeof turns.decide>>
  for (const [callId, decision] of decisions) {
    resumed = await turns.decide({ ...decision, owner, conversationId, callId })
    pending.delete(callId)
  }
  if (resumed) return { ...runOf(resumed, place), before: result }
  const end: TurnStep = { type: 'end', result, pending: [...pending.values()] }
  return { turn: waiting, steps: () => once(end), before: result }
}

async function readWaiting(steps: AsyncIterable<TurnStep>): Promise<{
  pending: Map<string, ToolCall>
  place: string | undefined
  result: TurnResult
}> {
  for await (const step of steps)
    if (step.type === 'end')
      return {
        pending: new Map(step.pending.map((call) => [call.id, call])),
        place: step.place,
        result: step.result,
      }
  throw new CallerError('conflict', 'The turn goes on already. Join it to see how.')
}

async function* once(step: TurnStep): AsyncGenerator<TurnStep> {
  yield step
}
