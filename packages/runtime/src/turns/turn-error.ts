import { AgentError, type AgentFault } from '@quire/agent/agent-error'
import { CallerError } from '@quire/kit/errors'
import type { TurnResult, TurnStatus } from './turns.ts'

export type TurnError = NonNullable<TurnResult['error']>

/** The status that a failed run has over HTTP. */
const STATUS_OF_FAULT: Readonly<Record<AgentFault, number>> = Object.freeze({
  /** This service lacks a key: nothing is wrong with the request, and it can be mended here. */
  unconfigured: 503,
  /** To be tried again later. A 429 would say that the caller has used up a limit of ours. */
  rate_limited: 503,
  // We are the gateway, and whoever stands behind it failed.
  unavailable: 502,
  refused: 502,
  garbled: 502,
  unknown_model: 502,
  /** The conversation is larger than the model takes. */
  too_long: 413,
  /** The agent's own limit, and it may be raised. Other codes of the callers' are sent again by many clients of themselves. */
  steps: 422,
  internal: 500,
})

const INTERNAL =
  'The turn failed inside this service; its log says why. Prompt again, and tell whoever runs it if it stays so.'

/** How a turn ended that nobody completed and that did not fail by itself. */
const CUT_OFF: Partial<Record<TurnStatus, TurnError>> = Object.freeze({
  cancelled: {
    detail:
      'The turn was cancelled before its answer was complete. What there was of it is kept in the conversation.',
    statusCode: 409,
  },
  interrupted: {
    detail:
      'The process that ran this turn ended before the answer was complete. What there was of it is kept: prompt again to go on.',
    statusCode: 503,
  },
})

/** What the one who prompted is told; details of our own faults are for the log. */
export function toTurnError(error: unknown): TurnError {
  if (error instanceof CallerError) return { detail: error.message, statusCode: error.problem.status }
  if (!(error instanceof AgentError)) return { detail: INTERNAL, statusCode: STATUS_OF_FAULT.internal }
  return {
    detail: error.fault === 'internal' ? INTERNAL : error.message,
    statusCode: STATUS_OF_FAULT[error.fault],
    ...(error.retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(error.retryAfterMs / 1000) }),
  }
}

export function faultOf(error: unknown): AgentFault {
  return error instanceof AgentError ? error.fault : 'internal'
}

export function errorOfStatus(status: TurnStatus): TurnError | undefined {
  return CUT_OFF[status]
}
