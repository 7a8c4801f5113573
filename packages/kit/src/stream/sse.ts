import type { Context } from 'hono'
import type { ServiceEnv } from '../app/service-env.ts'
import type { Logger } from '../log.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { SseMessage } from './sse-frame.ts'
import { createSseStream, type EndSse, type SseSource } from './sse-stream.ts'

export type SseOptions = Readonly<{
  logger: Logger
  /** A comment line is sent after this long without a message. */
  heartbeatMs?: number
  /** How far a source may be ahead of its reader before it has to wait. */
  maxBufferedBytes?: number
}>

export type SseResponseOptions = Readonly<{
  /** Ends the stream from our side. The reader's departure needs no signal: the source hears of it anyway. */
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
  /** The last message of a stream whose source failed; the failure itself is logged. */
  onError?: (error: unknown) => SseMessage | undefined
}>

/** The request's context: a stream ends when the token that opened it is revoked. */
export type StreamContext = Pick<Context<ServiceEnv>, 'get'>

export type Sse = Readonly<{
  response(context: StreamContext, source: SseSource, options?: SseResponseOptions): Response
  /** How many streams are open. */
  size(): number
  /** Ends every open stream, each with the given message, and from now on every new one. */
  close(last?: SseMessage): void
}>

const HEADERS = Object.freeze({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

/** The event streams of one service: they share one heartbeat and end together. */
export function createSse({ logger, heartbeatMs = 15_000, maxBufferedBytes = 65_536 }: SseOptions): Sse {
  const heartbeat = createHeartbeat({ intervalMs: heartbeatMs })
  const open = new Set<EndSse>()
  let closed: { last: SseMessage | undefined } | undefined

  function response(
    context: StreamContext,
    source: SseSource,
    { signal, headers, onError = noMessage }: SseResponseOptions = {},
  ) {
    const revoked = context.get('principal')?.revoked
    function onOpen(end: EndSse): () => void {
      const endNow = () => end()
      open.add(end)
      signal?.addEventListener('abort', endNow)
      revoked?.addEventListener('abort', endNow)
      if (closed) queueMicrotask(() => end(closed?.last))
      else if (signal?.aborted || revoked?.aborted) queueMicrotask(endNow)
      return () => {
        open.delete(end)
        signal?.removeEventListener('abort', endNow)
        revoked?.removeEventListener('abort', endNow)
      }
    }
    const stream = createSseStream({ source, logger, heartbeat, maxBufferedBytes, onError, onOpen })
    return new Response(stream, { headers: { ...HEADERS, ...headers } })
  }

  function close(last?: SseMessage): void {
    closed = { last }
    for (const end of open) end(last)
  }

  return Object.freeze({ response, close, size: () => open.size })
}

function noMessage(): undefined {}
