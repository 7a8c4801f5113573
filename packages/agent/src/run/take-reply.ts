import { AgentError } from '../agent-error.ts'
import type { AgentEvent, StopReason } from '../event.ts'
import { type ToolCall, toolCallsOf } from '../message.ts'
import type { FinishReason } from '../model/model.ts'
import { answerCalls } from './answer-calls.ts'
import { stepLimitReached } from './answers.ts'
import type { Conversation } from './conversation.ts'
import type { Reply } from './reply.ts'
import { judgeNew, type Tools } from './verdict.ts'

/** How a run is over. */
export interface Ending {
  readonly reason: StopReason
  readonly pending?: readonly ToolCall[]
  readonly finish?: FinishReason
  readonly error?: AgentError
}

export interface StepOptions {
  readonly conversation: Conversation
  readonly tools: Tools
  readonly signal: AbortSignal
  readonly stepsLeft: number
  readonly maxSteps: number
}

/** What follows when the model has spoken: its message, whole or cut, and the answers to its calls. Undefined where it is to be asked again. */
export async function* takeReply(
  reply: Reply,
  options: StepOptions,
): AsyncGenerator<AgentEvent, Ending | undefined> {
  const { conversation, tools, signal, maxSteps } = options
  const finish = reply.finish()
  const parts = finish === undefined ? reply.words() : reply.parts()
  if (parts.length === 0) return undefined

  const message = { role: 'assistant', parts } as const
  const calls = toolCallsOf(message)
  for (const { id, name, args } of calls) yield { type: 'tool_call', call: { id, name, args } }
  yield conversation.say(message, reply.usage())
  if (finish === undefined) return undefined
  if (calls.length === 0) return { reason: 'end', finish }
  if (options.stepsLeft === 0) {
    for (const call of calls) yield conversation.answer(call, stepLimitReached(maxSteps))
    return { reason: 'failed', error: stepsError(maxSteps) }
  }
  const pending = yield* answerCalls(calls, (call) => judgeNew(call, tools), conversation, signal)
  return pending.length === 0 ? undefined : { reason: 'approval', pending }
}

function stepsError(maxSteps: number): AgentError {
  return new AgentError(
    'steps',
    `The model still wanted tools after ${maxSteps} steps, the limit of one run. Prompt again to go on, or raise the limit.`,
  )
}
