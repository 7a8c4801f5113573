import { CallerError } from '@quire/kit/errors'
import { errorOfStatus, toTurnError } from '../turns/turn-error.ts'
import type { Turn } from '../turns/turns.ts'

/** For an answer that has to be whole, and is not. */
export async function turnFailure(turn: Turn): Promise<CallerError> {
  const { status, error = errorOfStatus(status) ?? toTurnError(undefined) } = await turn.result()
  return new CallerError('unavailable', error.detail, {
    status: error.statusCode,
    headers: {
      'x-conversation-id': turn.conversationId,
      ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
    },
  })
}
