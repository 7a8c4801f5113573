import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** The head as it came, lines and all. */
  readonly head: string
  readonly body: string
}

/** One connection that is kept: one request after the other. */
export interface RawConnection {
  send(request: string): Promise<RawAnswer>
  /** For an answer without end: each piece of its body goes to `take`. */
  stream(request: string, take: (text: string) => void): Promise<RawAnswer>
  close(): void
}

const DEADLINE_MS = 30_000

interface Waiting {
  resolve(answer: RawAnswer): void
  reject(error: Error): void
  readonly take: ((text: string) => void) | undefined
}

interface Reading {
  readonly status: number
  readonly head: string
  readonly isChunked: boolean
  length: number
  body: string
}

/** On a bare socket: a real HTTP client would cost more than the gateways that are measured. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.setNoDelay().setEncoding('latin1')
  await once(socket, 'connect', { signal: AbortSignal.timeout(DEADLINE_MS) })
  let waiting: Waiting | undefined
  let reading: Reading | undefined
  let received = ''

  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the gateway has closed the connection')))
  socket.on('timeout', () => socket.destroy(new Error(`the gateway was silent for ${DEADLINE_MS} ms`)))
  socket.on('data', (text) => {
    received += text
    while (advance());
  })

  /** Whether more may be in what was received. */
  function advance(): boolean {
    if (reading === undefined) return readHead()
    return reading.isChunked ? readChunk(reading) : readLength(reading)
  }

  function readHead(): boolean {
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return false
    const head = received.slice(0, end + 2)
    received = received.slice(end + 4)
    const isChunked = /\r\ntransfer-encoding: chunked\r\n/i.test(head)
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
    reading = { status: Number(head.slice(9, 12)), head, isChunked, length, body: '' }
    if (waiting?.take) waiting.resolve(reading)
    return true
  }

  function readLength(answer: Reading): boolean {
    if (received.length < answer.length) return false
    answer.body = received.slice(0, answer.length)
    received = received.slice(answer.length)
    settle(answer)
    return false
  }

  function readChunk(answer: Reading): boolean {
    const lineEnd = received.indexOf('\r\n')
    if (lineEnd === -1) return false
    const size = Number.parseInt(received.slice(0, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (received.length < end + 2) return false
    const text = received.slice(lineEnd + 2, end)
    received = received.slice(end + 2)
    if (size === 0) settle(answer)
    else if (waiting?.take) waiting.take(text)
    else answer.body += text
    return size > 0
  }

  function settle(answer: Reading): void {
    reading = undefined
    const asked = waiting
    waiting = undefined
    socket.setTimeout(0)
    asked?.resolve(answer)
  }

  function fail(error: Error): void {
    waiting?.reject(error)
    waiting = undefined
  }

  function ask(request: string, take?: (text: string) => void): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
    if (socket.destroyed) reject(new Error('the connection is closed'))
    waiting = { resolve, reject, take }
    socket.setTimeout(take ? 0 : DEADLINE_MS)
    socket.write(request)
    return promise
  }

  return {
    send: (request) => ask(request),
    stream: ask,
    close: () => void socket.destroy(),
  }
}
