export interface BodyWatch {
  /** What a reader may leave unread before its stream is cut. */
  readonly maxUnreadBytes: number
  /** Ends the stream. */
  readonly signal: AbortSignal | undefined
  /** Called once, however the body ends. */
  readonly onEnd: () => void
}

/**
 * Streams only; another body passes as it is. The SDK queues without a bound what a client does not read. This takes everything over at once, and cuts a stream whose reader
 * has fallen behind; a single message may be larger, so that a large result still gets through.
 */
export function watchBody(response: Response, { maxUnreadBytes, signal, onEnd }: BodyWatch): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.body || !isStream) {
    onEnd()
    return response
  }
  const reader = response.body.getReader()
  // The end of the source is the end of what we hand on.
  const cut = () => void reader.cancel(signal?.reason)
  signal?.addEventListener('abort', cut, { once: true })
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void pump(controller),
      cancel: (reason) => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        if ((controller.desiredSize ?? 0) <= 0) {
          const error = new Error(`the reader left more than ${maxUnreadBytes} bytes unread`)
          controller.error(error)
          return await reader.cancel(error)
        }
        controller.enqueue(value)
      }
      controller.close()
    } catch (error) {
      controller.error(error)
    } finally {
      signal?.removeEventListener('abort', cut)
      onEnd()
    }
  }
}
