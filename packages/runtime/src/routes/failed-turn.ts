import type { Failure } from '../contract.ts'
import { errorOfStatus, toTurnError } from '../turns/turn-error.ts'
import type { Turn, TurnResult } from '../turns/turns.ts'

export interface FailedTurn {
  readonly body: Failure
  /** One of those that the route declares. */
  readonly status: 502
  readonly headers: Record<string, string>
}

/**
 * For an answer that has to be whole, and is not. It is answered, not thrown: what is thrown is logged with its words, which may be the provider's and
 * repeat the prompt, and the turn was logged when it failed.
 */
export function toFailedTurn({ conversationId }: Turn, { status, error }: TurnResult): FailedTurn {
  const { detail, statusCode, retryAfterSeconds } = error ?? errorOfStatus(status) ?? toTurnError(undefined)
  return {
    body: { detail, status_code: statusCode },
    // Known when the turn is over; the types of a route know its statuses one by one.
    status: statusCode as 502,
    headers: {
      'x-conversation-id': conversationId,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  }
}
