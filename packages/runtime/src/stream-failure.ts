import type { EndReason } from '@quire/kit/stream/sse'

/** Why a stream ends before what it tells of does. */
export interface StreamFailure {
  readonly detail: string
  readonly statusCode: number
}

const FAILURES: Readonly<Record<EndReason, StreamFailure>> = Object.freeze({
  refused: {
    detail:
      'This stream was ended: its key is no longer valid, or a key is needed from now on. The turn goes on, and its answer is stored.',
    statusCode: 401,
  },
  'too-many': {
    detail:
      'This stream was ended: you read as many as one caller may. The turn goes on: close some, then join it.',
    statusCode: 429,
  },
})

export function failureOfEnd(why: EndReason): StreamFailure {
  return FAILURES[why]
}
