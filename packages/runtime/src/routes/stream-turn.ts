import type { ServiceEnv } from '@quire/kit/app/service-env'
import { SlowReaderError } from '@quire/kit/stream/backlog'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { Context } from 'hono'
import { failureOfEnd, type StreamFailure } from '../stream-failure.ts'
import type { PlacedFrame } from '../turns/frame.ts'
import type { Turn } from '../turns/turns.ts'
import type { RuntimeParts } from './parts.ts'

export interface StreamOptions {
  readonly after?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

const BROKEN: SseMessage = toError({
  detail: 'The stream broke off on our side. Join it again from the last frame that you have.',
  statusCode: 500,
})

const DONE: SseMessage = Object.freeze({ data: JSON.stringify({ type: 'done' }) })

/** The frames of a turn as server-sent events. Whoever leaves, the turn goes on. */
export function streamTurn(
  c: Context<ServiceEnv>,
  { sse, streamEnd }: Pick<RuntimeParts, 'sse' | 'streamEnd'>,
  turn: Turn,
  { after, headers }: StreamOptions = {},
): Response {
  const signal = streamEnd(c.get('principal'))
  return sse.response(c, (gone) => messages(turn.frames({ after, signal: gone })), {
    onError: (error) => (error instanceof SlowReaderError ? [BROKEN, DONE] : DONE),
    onEnd: (why) => [toError(failureOfEnd(why)), DONE],
    ...(signal && { signal }),
    ...(headers && { headers }),
  })
}

function toError({ detail, statusCode }: StreamFailure): SseMessage {
  return Object.freeze({ data: JSON.stringify({ type: 'error', detail, status_code: statusCode }) })
}

async function* messages(frames: AsyncIterable<PlacedFrame>): AsyncIterable<SseMessage> {
  try {
    for await (const { id, frame } of frames) yield { id, data: JSON.stringify(frame) }
  } catch (error) {
    yield BROKEN
    throw error
  }
}
