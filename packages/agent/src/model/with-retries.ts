import { AgentError } from '../agent-error.ts'
import type { Clock } from './clock.ts'
import type { Model, ModelEvent, ModelRequest } from './model.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
const LONGEST_ASKED_WAIT_MS = 60_000
const JITTER = 0.2

export interface RetryOptions {
  /** How often it is asked again at the most. */
  readonly retries: number
  readonly clock: Clock
  readonly random: () => number
}

/** Asks again where nothing came of the first request and waiting may help. What has begun to arrive is never asked for twice. */
export function withRetries(model: Model, options: RetryOptions): Model {
  return Object.freeze({ ...model, stream: (request: ModelRequest) => stream(model, request, options) })
}

/** From the first event on, the model's own iterator is all there is: no step of ours for each fragment. */
function stream(
  model: Model,
  request: ModelRequest,
  { retries, clock, random }: RetryOptions,
): AsyncIterableIterator<ModelEvent> {
  let events = model.stream(request)[Symbol.asyncIterator]()
  let hasBegun = false

  return {
    next: () => (hasBegun ? events.next() : first()),
    async return() {
      hasBegun = true
      await events.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }

  async function first(): Promise<IteratorResult<ModelEvent>> {
    for (let attempt = 0; ; attempt++) {
      try {
        const item = await events.next()
        hasBegun = true
        return item
      } catch (error) {
        if (!(error instanceof AgentError) || !error.isRetryable) throw error
        if (attempt >= Math.min(retries, error.mostRetries ?? retries))
          throw attempt === 0 ? error : exhausted(error, attempt + 1)
        if (error.retryAfterMs !== undefined && error.retryAfterMs > LONGEST_ASKED_WAIT_MS)
          throw tooLate(error, error.retryAfterMs)
        await clock.sleep(error.retryAfterMs ?? backoff(attempt, random), request.signal)
        request.signal.throwIfAborted()
        events = model.stream(request)[Symbol.asyncIterator]()
      }
    }
  }
}

/** 0.5, 1, 2, 4 … 30 seconds, each 20 % shorter or longer by chance, so that clients do not come back in step. */
function backoff(attempt: number, random: () => number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (1 - JITTER + 2 * JITTER * random())
}

function exhausted(error: AgentError, times: number): AgentError {
  return restated(error, `${error.message} It was asked ${times} times.`)
}

function tooLate(error: AgentError, waitMs: number): AgentError {
  return restated(error, `${error.message} Try again in ${Math.ceil(waitMs / 1000)} seconds.`)
}

function restated(error: AgentError, message: string): AgentError {
  const { fault, retryAfterMs, isRetryable, mostRetries, cause } = error
  return new AgentError(fault, message, { retryAfterMs, isRetryable, mostRetries, cause })
}
