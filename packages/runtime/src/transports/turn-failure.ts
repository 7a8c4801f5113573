import type { TurnResult } from '../turns/turns.ts'

export interface TurnFailure {
  readonly detail: string
  readonly statusCode: number
}

/** Why there is no answer; undefined where there is one, or none was wanted any more, or somebody has to decide first. */
export function failureOf({ status, error }: TurnResult): TurnFailure | undefined {
  return status === 'failed' || status === 'interrupted' ? (error ?? FAILURES[status]) : undefined
}

const FAILURES = Object.freeze({
  failed: { detail: 'The turn failed.', statusCode: 500 },
  interrupted: {
    detail:
      'The service stopped before the answer was complete. Send another message in this conversation to go on.',
    statusCode: 503,
  },
})
