import type { Context } from 'hono'
import type { ServiceEnv } from '../app/service-env.ts'
import type { Logger } from '../log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createReaderLimit, type ReaderLimit } from './reader-limit.ts'
import type { SseMessage } from './sse-frame.ts'
import { createSseStream, type EndSse, type LastMessages, type SseSource } from './sse-stream.ts'

export type SseOptions = Readonly<{
  logger: Logger
  /** A comment line is sent after this long without a message. */
  heartbeatMs?: number
  /** How far a source may be ahead of its reader before it has to wait. */
  maxBufferedBytes?: number
  /** How many streams one caller may read at a time. */
  mostReaders?: number
}>

export type SseResponseOptions = Readonly<{
  /** Ends the stream from our side. The reader's departure needs no signal: the source hears of it anyway. */
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
  /** The last that is said of a stream whose source failed; the failure itself is logged. */
  onError?: (error: unknown) => LastMessages
  /** The last that is said of a stream that ends from our side: by the signal, because its token is revoked, or because its reader has too many. */
  onEnd?: (why: EndReason) => LastMessages
}>

export type EndReason = 'refused' | 'too-many'

/** The request's context: a stream ends when the token that opened it is revoked. */
export type StreamContext = Pick<Context<ServiceEnv>, 'get'>

export type Sse = Readonly<{
  response(context: StreamContext, source: SseSource, options?: SseResponseOptions): Response
  /** Counts the streams of each caller; those of other formats enter by themselves. */
  readers: ReaderLimit
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
export function createSse(options: SseOptions): Sse {
  const { logger, heartbeatMs = 15_000, maxBufferedBytes = 65_536 } = options
  const readers = createReaderLimit(options.mostReaders ?? Number.POSITIVE_INFINITY)
  const heartbeat = createHeartbeat({ intervalMs: heartbeatMs })
  const open = new Set<EndSse>()
  let closed: { last: SseMessage | undefined } | undefined

  function response(
    context: StreamContext,
    source: SseSource,
    { signal, headers, onError = noMessage, onEnd = noMessage }: SseResponseOptions = {},
  ) {
    const { revoked, subject = '' } = context.get('principal') ?? {}
    function onOpen(end: EndSse): () => void {
      const endNow = () => end(onEnd('refused'))
      const leave = readers.enter(subject)
      open.add(end)
      signal?.addEventListener('abort', endNow)
      revoked?.addEventListener('abort', endNow)
      if (closed) queueMicrotask(() => end(closed?.last))
      else if (signal?.aborted || revoked?.aborted) queueMicrotask(endNow)
      else if (!leave) queueMicrotask(() => end(onEnd('too-many')))
      return () => {
        leave?.()
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

  return Object.freeze({ response, readers, close, size: () => open.size })
}

function noMessage(): undefined {}
