import type { AgentError } from '../agent-error.ts'
import type { AgentEvent, StopReason } from '../event.ts'
import type { Message, ToolCall } from '../message.ts'
import type { FinishReason, Model } from '../model/model.ts'
import type { Tool } from '../tool.ts'
import type { Usage } from '../usage.ts'
import { runLoop } from './run-loop.ts'

export interface Agent {
  readonly systemPrompt?: string | undefined
  /** How often the model is asked at the most in one run: 16 times by default, once at the least. */
  readonly maxSteps?: number | undefined
}

export interface Decision {
  readonly isApproved: boolean
  /** In place of the model's. */
  readonly args?: ToolCall['args']
  /** Told to the model when it is refused. */
  readonly reason?: string
}

export interface RunOptions {
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  /** By the id of the call: what a person has decided since the run that stopped for it. */
  readonly decisions?: ReadonlyMap<string, Decision>
  /** What tools are handed to tell a call that is repeated from another one, by the id of the call. */
  readonly idempotencyKeyOf?: (callId: string) => string
}

export interface RunResult {
  readonly reason: StopReason
  /** Of the last message of the model. */
  readonly text: string
  /** What was added to the conversation. */
  readonly messages: readonly Message[]
  readonly pending: readonly ToolCall[]
  readonly usage: Usage
  readonly finish?: FinishReason
  readonly error?: AgentError
}

/** Events as they happen, for one reader: the run goes on when the next one is asked for. To stop asking aborts it. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  /** Runs to the end, where nobody listens. Settles before `done` is handed out, and never rejects: a failure is in it. */
  result(): Promise<RunResult>
}

/**
 * Asks the model, calls the tools that it wants, and so on until it is done. `messages` may end with calls that have no result yet. Those with a
 * decision are called (or refused) first. Those without one stop the run again where their tool needs approval. Any other may have run before a
 * crash, so it is not called: the model is told that nobody knows. A caller who knows better adds the result, or a decision, before.
 */
export function runAgent(agent: Agent, messages: readonly Message[], options: RunOptions): AgentRun {
  const control = new AbortController()
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  const events = runLoop({ agent, messages, options, control, settle })
  let isTaken = false
  let isOver = false

  return Object.freeze({
    [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
      if (isTaken)
        throw new Error('This run is read already: its events come once. Ask for result() instead.')
      isTaken = true
      return { next: () => events.next(), return: leave }
    },
    result(): Promise<RunResult> {
      if (!isTaken) {
        isTaken = true
        void drain(events)
      }
      return promise
    },
  })

  function settle(result: RunResult): void {
    isOver = true
    resolve(result)
  }

  /** The run is not cut but brought to its end as an aborted one, so that its result is whole. */
  async function leave(): Promise<IteratorReturnResult<undefined>> {
    if (!isOver) control.abort()
    await drain(events)
    return { done: true, value: undefined }
  }
}

async function drain(events: AsyncIterator<AgentEvent>): Promise<void> {
  for (;;) if ((await events.next()).done) return
}
