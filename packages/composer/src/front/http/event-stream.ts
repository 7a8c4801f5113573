import type { Answer } from '@quire/kit/app/answer'
import type { Logger } from '@quire/kit/log'
import { KEEP_ALIVE } from '@quire/kit/stream/sse-frame'
import { onOneLine } from '../protocol/encode.ts'

export interface EventStreamOptions {
  readonly logger: Logger
  /** What a reader may leave unread before it is cut off. A single message may be longer. */
  readonly maxUnreadBytes: number
  readonly keepAliveMs: number
  /** Called once: because the reader is gone (it left, or was cut off), or because we ended the stream. */
  readonly onEnd: (isGone: boolean) => void
}

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  send(frame: Buffer): void
  end(): void
}

const STREAM_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

const KEEP_ALIVE_FRAME = Buffer.from(KEEP_ALIVE)
const FRAME_END = Buffer.from('\n\n')

export function streamAnswer(body: ReadableStream<Uint8Array>): Answer {
  return { status: 200, headers: STREAM_HEADERS, body }
}

/** One server-sent event that carries a message. */
export function toFrame(message: Buffer, id?: string): Buffer {
  const head = Buffer.from(id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `)
  return Buffer.concat([head, onOneLine(message), FRAME_END])
}

/** Is closed and never fails: the HTTP adapter would write the text of a failure into the body. */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { logger, maxUnreadBytes, keepAliveMs, onEnd } = options
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      cancel: () => finish(true),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  const timer = setInterval(() => send(KEEP_ALIVE_FRAME), keepAliveMs).unref()

  function send(frame: Buffer): void {
    if (!controller) return
    if ((controller.desiredSize ?? 0) > 0) {
      controller.enqueue(frame)
      return
    }
    logger.debug({ maxUnreadBytes }, 'a stream of an MCP client was cut: its reader left too much unread')
    controller.close()
    finish(true)
  }

  function finish(isGone: boolean): void {
    if (!controller) return
    controller = undefined
    clearInterval(timer)
    onEnd(isGone)
  }

  return Object.freeze({
    body,
    send,
    end() {
      controller?.close()
      finish(false)
    },
  })
}
