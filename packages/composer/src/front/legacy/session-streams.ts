import type { Answer } from '@quire/kit/app/answer'
import type { Logger } from '@quire/kit/log'
import { createEventStream, type EventStream, streamAnswer, toFrame } from '../http/event-stream.ts'
import type { AnswerStream } from '../http/exchange.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeError } from '../protocol/encode.ts'
import type { RpcId } from '../protocol/message.ts'

export interface SessionStreamsOptions {
  readonly logger: Logger
  readonly maxUnreadBytes: number
  readonly keepAliveMs: number
  /** Whether its client takes an event without a message, which gives it an id to come back with. */
  readonly isPrimed: boolean
  /** A place for one more connection, and how to give it back. */
  readonly takeSlot: () => (() => void) | undefined
}

/** Why there is no stream: it is open already, there is nothing to resume, or the caller has too many. */
export type StreamRefusal = 'open' | 'unknown' | 'full'

/** The event streams of one session, and what was last sent on them, for a client that comes back for the rest. */
export interface SessionStreams {
  /** One for the answers to a POST. `onLost` is called when its client has left and cannot come back. */
  open(onLost: () => void): AnswerStream | undefined
  /** The one that belongs to no request. */
  standalone(): Answer | StreamRefusal
  /** The stream that the event was sent on, from after that event. Whoever still reads it loses it. */
  resume(eventId: string): Answer | StreamRefusal
  /** Something that belongs to no request; kept until there is somebody to read it. */
  tell(message: Buffer): void
  close(): void
}

interface Stream {
  readonly id: number
  /** Of the last event. */
  count: number
  /** Of the last event that went out. */
  sent: number
  /** How many of its events are kept. */
  kept: number
  isOver: boolean
  reader: EventStream | undefined
  readonly onLost: () => void
}

interface Event {
  readonly stream: Stream
  readonly number: number
  readonly message: Buffer
}

const MAX_EVENTS = 256
const MAX_EVENT_BYTES = 1024 * 1024
/** What a client waits before it comes back. */
const RETRY_MS = 1000
const EVENT_ID = /^(\d{1,9})\.(\d{1,9})$/
const STANDALONE = 0

export function createSessionStreams(options: SessionStreamsOptions): SessionStreams {
  const { isPrimed, takeSlot } = options
  const streams = new Map<number, Stream>()
  const events: Event[] = []
  let bytes = 0
  let lastId = STANDALONE
  const standalone = createStream(STANDALONE, () => undefined)

  function createStream(id: number, onLost: () => void): Stream {
    const stream: Stream = { id, count: 0, sent: 0, kept: 0, isOver: false, reader: undefined, onLost }
    streams.set(id, stream)
    return stream
  }

  /** Connects a reader, to whom everything after the given event is sent. */
  function attach(stream: Stream, after: number, first?: Buffer): Answer | undefined {
    const giveBack = takeSlot()
    if (!giveBack) return undefined
    const reader = createEventStream({
      ...options,
      onEnd(isGone) {
        giveBack()
        if (!isGone || stream.reader !== reader) return
        stream.reader = undefined
        const isResumable = isPrimed || stream.sent > 0
        if (stream !== standalone && !stream.isOver && !isResumable) stream.onLost()
      },
    })
    stream.reader = reader
    if (first) reader.send(first)
    for (const event of events) {
      if (event.stream === stream && event.number > after) deliver(event)
    }
    if (stream.isOver) detach(stream)
    return streamAnswer(reader.body)
  }

  function detach(stream: Stream): void {
    const { reader } = stream
    stream.reader = undefined
    reader?.end()
  }

  function deliver({ stream, number, message }: Event): void {
    if (!stream.reader) return
    stream.sent = Math.max(stream.sent, number)
    stream.reader.send(toFrame(message, `${stream.id}.${number}`))
  }

  function send(stream: Stream, message: Buffer, id?: RpcId): void {
    stream.count += 1
    deliver({ stream, number: stream.count, message })
    const kept = message.length <= MAX_EVENT_BYTES ? message : id !== undefined && toTooLong(id)
    if (kept) keep({ stream, number: stream.count, message: kept })
  }

  function keep(event: Event): void {
    events.push(event)
    event.stream.kept += 1
    bytes += event.message.length
    while (events.length > MAX_EVENTS || bytes > MAX_EVENT_BYTES) {
      const oldest = events.shift()
      if (!oldest) break
      bytes -= oldest.message.length
      oldest.stream.kept -= 1
      forgetIfSpent(oldest.stream)
    }
  }

  function forgetIfSpent(stream: Stream): void {
    if (stream.isOver && stream.kept === 0) streams.delete(stream.id)
  }

  return Object.freeze({
    open(onLost) {
      lastId += 1
      const stream = createStream(lastId, onLost)
      const priming = Buffer.from(`id: ${stream.id}.0\nretry: ${RETRY_MS}\ndata: \n\n`)
      const answer = attach(stream, 0, isPrimed ? priming : undefined)
      if (!answer) {
        streams.delete(stream.id)
        return undefined
      }
      return {
        answer,
        send: (message, id) => send(stream, message, id),
        ...(isPrimed && { pause: () => detach(stream) }),
        end() {
          stream.isOver = true
          detach(stream)
          forgetIfSpent(stream)
        },
      }
    },
    standalone() {
      if (standalone.reader) return 'open'
      return attach(standalone, standalone.sent) ?? 'full'
    },
    resume(eventId) {
      const [, id, number] = EVENT_ID.exec(eventId) ?? []
      const stream = id === undefined ? undefined : streams.get(Number(id))
      if (!stream) return 'unknown'
      detach(stream)
      return attach(stream, Number(number)) ?? 'full'
    },
    tell(message) {
      const isTold = (event: Event) =>
        event.stream === standalone && event.number > standalone.sent && event.message.equals(message)
      if (standalone.reader || !events.some(isTold)) send(standalone, message)
    },
    close() {
      for (const stream of streams.values()) {
        stream.isOver = true
        detach(stream)
      }
      streams.clear()
      events.length = 0
    },
  } satisfies SessionStreams)
}

function toTooLong(id: RpcId): Buffer {
  const message = `The answer is longer than the ${MAX_EVENT_BYTES} bytes that are kept for a client that is away. Ask again.`
  return encodeError(id, { code: CODES.internal, message })
}
