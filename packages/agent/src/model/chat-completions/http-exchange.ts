import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createMeter, endless, LONGEST_ANSWER_MS, type Meter, silence } from '../answer-limits.ts'
import type { Clock, Timer } from '../clock.ts'

export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  readonly contentType: string
}

/** One request and its answer, for one reader that waits for each read. What is not asked for stays with the sender, but for a buffer's worth. */
export interface HttpExchange {
  readonly answer: Promise<HttpAnswer>
  /** As many bytes as there are; undefined at the end. */
  read(): Promise<Buffer | undefined>
  /** No more is wanted. The rest is read away for a moment, so that the connection can serve the next request. */
  release(): void
  /** Cuts the connection, unless the answer is all there. */
  close(): void
}

export interface ExchangeOptions {
  readonly signal: AbortSignal
  /** For messages. */
  readonly title: string
  /** The longest silence, before the first byte and between two. */
  readonly idleMs: number
  readonly clock: Clock
}

const LINGER_MS = 1_000

/** Held to the limits of every answer. Bytes count as life, and a reader that takes its time is no silence of the sender's. */
export function createHttpExchange(outgoing: ClientRequest, options: ExchangeOptions): HttpExchange {
  const { signal, title, idleMs, clock } = options
  const opened = Promise.withResolvers<HttpAnswer>()
  let incoming: IncomingMessage | undefined
  let meter: Meter
  let reading: PromiseWithResolvers<Buffer | undefined> | undefined
  let failure: { readonly error: unknown } | undefined
  let isWaiting = true
  let isEnded = false
  let isReleased = false
  let linger: Timer | undefined
  const silent = clock.startTimer(idleMs, () => isWaiting && fail(silence(title, idleMs)))
  const long = clock.startTimer(LONGEST_ANSWER_MS, () => fail(endless(title)))
  const onAbort = () => fail(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  outgoing.on('response', onResponse)
  outgoing.on('error', fail)
  outgoing.on('close', onClose)

  return {
    answer: opened.promise,
    read() {
      if (failure !== undefined) return Promise.reject(failure.error)
      reading = Promise.withResolvers()
      const { promise } = reading
      advance()
      return promise
    },
    release() {
      if (failure !== undefined || isEnded) return
      stopWatching()
      isReleased = true
      if (!incoming?.complete) linger = clock.startTimer(LINGER_MS, close)
      advance()
    },
    close,
  }

  function onResponse(message: IncomingMessage): void {
    incoming = message
    isWaiting = false
    const { statusCode: status = 0, statusMessage: statusText = '', headers } = message
    const contentType = headers['content-type'] ?? ''
    meter = createMeter({ title, isError: status < 200 || status > 299, contentType })
    message.on('readable', advance)
    message.on('end', onEnd)
    message.on('error', fail)
    opened.resolve({ status, statusText, headers, contentType })
  }

  function advance(): void {
    if (incoming === undefined || (reading === undefined && !isReleased)) return
    const bytes: Buffer | null = incoming.read()
    if (isReleased) return
    if (bytes !== null) take(bytes)
    else if (isEnded) settle(undefined)
    else listen()
  }

  function listen(): void {
    isWaiting = true
    silent.refresh()
  }

  function take(bytes: Buffer): void {
    try {
      meter(bytes)
      settle(bytes)
    } catch (error) {
      fail(error)
    }
  }

  function settle(bytes: Buffer | undefined): void {
    isWaiting = false
    reading?.resolve(bytes)
    reading = undefined
  }

  function onEnd(): void {
    isEnded = true
    stopWatching()
    advance()
  }

  /** An upgrade that nobody asked for ends a request with no word. */
  function onClose(): void {
    if (incoming === undefined) fail(Object.assign(new Error('No answer.'), { code: 'ECONNRESET' }))
  }

  function close(): void {
    if (!isEnded) fail(new Error('Nobody reads the answer any more.'))
  }

  function fail(error: unknown): void {
    if (failure !== undefined) return
    failure = { error }
    stopWatching()
    outgoing.destroy()
    opened.reject(error)
    reading?.reject(error)
    reading = undefined
  }

  function stopWatching(): void {
    silent.cancel()
    long.cancel()
    linger?.cancel()
    signal.removeEventListener('abort', onAbort)
  }
}
