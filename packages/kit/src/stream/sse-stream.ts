import type { Logger } from '../log.ts'
import { SlowReaderError } from './backlog.ts'
import type { Beating, Heartbeat } from './heartbeat.ts'
import { encodeSse, KEEP_ALIVE, type SseMessage } from './sse-frame.ts'

/**
 * What a reader is sent. It is read only as fast as the reader reads; a source that cannot wait puts a bounded backlog in
 * between and calls `fail` when that overflows. It has to end when `signal` is aborted: nobody reads any more.
 */
export type SseSource = (signal: AbortSignal, fail: (error: unknown) => void) => AsyncIterable<SseMessage>

/** The last that a reader is told, which may be several messages. */
export type LastMessages = SseMessage | readonly SseMessage[] | undefined

export type EndSse = (last?: LastMessages) => void

export type SseStreamOptions = Readonly<{
  source: SseSource
  logger: Logger
  heartbeat: Heartbeat
  /** How far, in characters, the source may be ahead of the reader before it has to wait. */
  maxBufferedBytes: number
  /** The last that is said of a stream whose source failed. */
  onError: (error: unknown) => LastMessages
  /** Called when the reader comes, with the way to end the stream; returns what to call once it has ended. */
  onOpen: (end: EndSse) => () => void
}>

/** So many heartbeats long a reader may take nothing of what is there for it. */
const PATIENCE = 4

export function createSseStream(options: SseStreamOptions): ReadableStream<Uint8Array> {
  const aborter = new AbortController()
  let controller: ReadableStreamDefaultController<Uint8Array>
  let state: 'new' | 'open' | 'ended' = 'new'
  let beating: Beating | undefined
  let onEnded: (() => void) | undefined
  let sourceEnded = false
  let pending = ''
  let readerWaits = false
  let missedBeats = 0
  let resumeSource: (() => void) | undefined

  // The queue is `pending`: what is ready without a wait becomes one chunk, encoded once. It goes out before the event loop serves others.
  return new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull() {
        // Not before somebody reads: the answer to a HEAD is never read, and nothing would ever end its source.
        if (state === 'new') open()
        readerWaits = true
        if (pending !== '') flush()
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  )

  function open(): void {
    state = 'open'
    beating = options.heartbeat.add(beat)
    onEnded = options.onOpen(end)
    void pump()
  }

  function beat(): void {
    if (pending === '') {
      write(KEEP_ALIVE)
      return
    }
    missedBeats += 1
    if (missedBeats < PATIENCE) return
    fail(new SlowReaderError('The reader took nothing for too long. Connect again to go on.'))
  }

  async function pump(): Promise<void> {
    try {
      for await (const message of options.source(aborter.signal, fail)) {
        if (state === 'ended') break
        write(encodeSse(message))
        if (pending.length >= options.maxBufferedBytes) await new Promise<void>(waitForReader)
      }
      sourceEnded = true
      end()
    } catch (error) {
      sourceEnded = true
      fail(error)
    }
  }

  function waitForReader(resume: () => void): void {
    resumeSource = resume
  }

  function write(frame: string): void {
    if (pending === '' && readerWaits) process.nextTick(flush)
    pending += frame
    if (beating) options.heartbeat.touch(beating)
  }

  function flush(): void {
    if (pending === '' || state === 'ended') return
    const chunk = Buffer.from(pending)
    pending = ''
    readerWaits = false
    missedBeats = 0
    controller.enqueue(chunk)
    resumeSource?.()
  }

  function fail(error: unknown): void {
    if (state === 'ended') {
      options.logger.debug({ err: error }, 'a source failed after its reader had gone')
      return
    }
    if (error instanceof SlowReaderError)
      options.logger.warn({ err: error }, 'a reader of an event stream was too slow')
    else options.logger.error({ err: error }, 'the source of an event stream failed')
    try {
      end(options.onError(error))
    } catch (failure) {
      options.logger.error({ err: failure }, 'the failure of an event stream could not be told to its reader')
      end()
    }
  }

  function end(last: LastMessages = []): void {
    if (state === 'ended') return
    const rest = pending + [last].flat().map(encodeSse).join('')
    release()
    if (rest !== '') controller.enqueue(Buffer.from(rest))
    controller.close()
  }

  function release(): void {
    if (state === 'ended') return
    state = 'ended'
    pending = ''
    if (beating) options.heartbeat.remove(beating)
    onEnded?.()
    if (!sourceEnded) aborter.abort()
    resumeSource?.()
  }
}
