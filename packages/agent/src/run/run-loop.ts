import { AgentError } from '../agent-error.ts'
import type { AgentEvent } from '../event.ts'
import type { Message } from '../message.ts'
import type { Tool } from '../tool.ts'
import { addUsage, NO_USAGE } from '../usage.ts'
import { answerCalls } from './answer-calls.ts'
import { NEVER_CALLED, RUN_FAILED } from './answers.ts'
import { askModel } from './ask-model.ts'
import { createConversation } from './conversation.ts'
import { createReply } from './reply.ts'
import type { Agent, RunOptions, RunResult } from './run-agent.ts'
import { type Ending, takeReply } from './take-reply.ts'
import { judgeOld } from './verdict.ts'
import { createWaiter } from './waiter.ts'

const DEFAULT_MAX_STEPS = 16

export interface LoopOptions {
  readonly agent: Agent
  readonly messages: readonly Message[]
  readonly options: RunOptions
  /** Of the run: the caller's signal aborts it, and so does a reader who leaves. */
  readonly control: AbortController
  readonly settle: (result: RunResult) => void
}

/** Always read to its end: nothing but the last event is left to do when the result is settled. */
export async function* runLoop(loop: LoopOptions): AsyncGenerator<AgentEvent, void> {
  const { agent, messages, options, control, settle } = loop
  const { signal } = control
  const onAbort = (): void => control.abort(options.signal.reason)
  if (options.signal.aborted) onAbort()
  else options.signal.addEventListener('abort', onAbort, { once: true })

  const conversation = createConversation(messages)
  const tools = new Map(options.tools.map((tool) => [tool.name, withKeys(tool, options.idempotencyKeyOf)]))
  const declarations = options.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  const maxSteps = toMaxSteps(agent.maxSteps)
  const waiter = createWaiter(signal)
  let usage = NO_USAGE
  let ending: Ending | undefined

  try {
    const left = conversation.unanswered()
    if (left.length > 0) {
      const undecided = yield* answerCalls(
        left,
        (call) => judgeOld(call, tools, options.decisions?.get(call.id)),
        conversation,
        signal,
      )
      if (undecided.length > 0) ending = { reason: 'approval', pending: undecided }
    }

    for (let step = 1; ending === undefined && !signal.aborted; step += 1) {
      const reply = createReply(conversation.toCallId)
      const request = {
        system: agent.systemPrompt,
        messages: conversation.messages(),
        tools: declarations,
        signal,
      }
      const asked = askModel(options.model, request, reply, waiter)
      for (let part = await asked.next(); part !== undefined; part = await asked.next()) yield part
      usage = addUsage(usage, reply.usage())
      ending = yield* takeReply(reply, { conversation, tools, signal, stepsLeft: maxSteps - step, maxSteps })
      const error = asked.failure()
      if (error !== undefined) ending = { reason: 'failed', error }
    }
  } catch (cause) {
    ending = { reason: 'failed', error: internalError(cause) }
  }

  // An answer that is whole, or a failure, stands whoever left meanwhile. A person is not asked any more.
  if (ending === undefined || (ending.reason === 'approval' && signal.aborted)) ending = { reason: 'aborted' }
  const { reason, pending = [], error, finish } = ending
  if (reason !== 'approval') {
    const result = reason === 'aborted' ? NEVER_CALLED : RUN_FAILED
    for (const call of conversation.unanswered()) yield conversation.answer(call, result)
  }
  if (error !== undefined) yield { type: 'error', error }

  waiter.close()
  options.signal.removeEventListener('abort', onAbort)
  settle({
    reason,
    text: conversation.text(),
    messages: conversation.added(),
    pending,
    usage,
    ...(finish !== undefined && { finish }),
    ...(error !== undefined && { error }),
  })
  yield { type: 'done', reason, usage, ...(finish !== undefined && { finish }) }
}

function withKeys(tool: Tool, keyOf: RunOptions['idempotencyKeyOf']): Tool {
  if (keyOf === undefined) return tool
  return {
    ...tool,
    execute: (args, context) => tool.execute(args, { ...context, idempotencyKey: keyOf(context.callId) }),
  }
}

function toMaxSteps(wanted: number | undefined): number {
  return wanted === undefined || Number.isNaN(wanted) ? DEFAULT_MAX_STEPS : Math.max(1, Math.floor(wanted))
}

function internalError(cause: unknown): AgentError {
  return new AgentError(
    'internal',
    'The run failed for a reason of ours. Ask again; the log has the cause.',
    { cause },
  )
}
