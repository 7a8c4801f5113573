import type { Logger } from '@quire/kit/log'

export interface BodyWatch {
  /** What a reader may leave unread before its stream is cut. */
  readonly maxUnreadBytes: number
  /** Ends the stream. */
  readonly signal: AbortSignal | undefined
  readonly logger: Logger
  /** Called once, however the body ends. */
  readonly onEnd: () => void
}

/**
 * Streams only; another body passes as it is. The SDK queues without a bound what a client does not read. This takes everything over at once, and cuts a stream whose reader
 * has fallen behind; a single message may be larger, so that a large result still gets through.
 */
export function watchBody(
  response: Response,
  { maxUnreadBytes, signal, logger, onEnd }: BodyWatch,
): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.body || !isStream) {
    onEnd()
    return response
  }
  const reader = response.body.getReader()
  let hasLeft = false
  // The end of the source is the end of what we hand on.
  const cut = () => void stopSource(signal?.reason)
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void pump(controller),
      cancel(reason) {
        hasLeft = true
        return reader.cancel(reason)
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  if (signal?.aborted) cut()
  else signal?.addEventListener('abort', cut, { once: true })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        if ((controller.desiredSize ?? 0) <= 0) {
          const reason = new Error(`the reader left more than ${maxUnreadBytes} bytes unread`)
          logger.debug({ err: reason }, 'a stream of the MCP endpoint was cut')
          void stopSource(reason)
          break
        }
        controller.enqueue(value)
      }
    } catch (error) {
      logger.debug({ err: error }, 'a stream of the MCP endpoint failed')
    } finally {
      signal?.removeEventListener('abort', cut)
      // Closed, never failed: the HTTP adapter would write a failure's text into the body.
      if (!hasLeft) controller.close()
      onEnd()
    }
  }

  async function stopSource(reason: unknown): Promise<void> {
    try {
      await reader.cancel(reason)
    } catch (error) {
      logger.debug({ err: error }, 'the source of a stream did not stop cleanly')
    }
  }
}
