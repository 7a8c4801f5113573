import { once } from 'node:events'
import { connect } from 'node:net'
import { sentAt } from './script.ts'

export interface PromptAnswer {
  /** Of the stream: each without its `data:`. */
  readonly events: readonly string[]
  /** From the model's first byte to the first frame here. */
  readonly firstFrameMs: number
}

export interface Asked {
  /** The first frame is here. */
  readonly begun: Promise<void>
  readonly answer: Promise<PromptAnswer>
}

/** One connection that is kept: one prompt after the other. */
export interface PromptConnection {
  ask(request: string): Asked
  close(): void
}

const DEADLINE_MS = 60_000
const END = '\r\n0\r\n\r\n'

/** On a bare socket: a real HTTP client would cost more than the servers that are measured. */
export async function openPromptConnection(port: number): Promise<PromptConnection> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay().setEncoding('latin1')
  await once(socket, 'connect', { signal: AbortSignal.timeout(DEADLINE_MS) })
  let begun = Promise.withResolvers<void>()
  let answer = Promise.withResolvers<PromptAnswer>()
  let received = ''
  let firstFrameMs: number | undefined

  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the connection was closed')))
  socket.on('timeout', () => socket.destroy(new Error(`nothing came for ${DEADLINE_MS} ms`)))
  socket.on('data', (piece: string) => {
    received += piece
    if (firstFrameMs === undefined) {
      const now = process.hrtime.bigint()
      const sent = sentAt(received)
      if (sent !== undefined) {
        firstFrameMs = Number(now - sent) / 1e6
        begun.resolve()
      }
    }
    if (received.endsWith(END)) finish()
    else if (!received.startsWith('HTTP/1.1 200') && received.length >= 12)
      fail(new Error(`refused: ${received.slice(0, 1000)}`))
  })

  function finish(): void {
    begun.resolve()
    answer.resolve({ events: toEvents(received), firstFrameMs: firstFrameMs ?? Number.NaN })
  }

  function fail(error: Error): void {
    begun.reject(error)
    answer.reject(error)
  }

  return {
    ask(request) {
      begun = Promise.withResolvers()
      answer = Promise.withResolvers()
      received = ''
      firstFrameMs = undefined
      // Whoever asked looks at the answer; that it has begun interests only some.
      begun.promise.catch(() => undefined)
      socket.setTimeout(DEADLINE_MS)
      if (socket.destroyed) fail(new Error('the connection is closed'))
      else socket.write(request)
      return { begun: begun.promise, answer: answer.promise }
    },
    close: () => void socket.destroy(),
  }
}

export function toPost(path: string, body: object): string {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`
}

function toEvents(received: string): string[] {
  return joinChunks(received)
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
}

function joinChunks(received: string): string {
  let body = ''
  for (let at = received.indexOf('\r\n\r\n') + 4; ; ) {
    const lineEnd = received.indexOf('\r\n', at)
    const size = Number.parseInt(received.slice(at, lineEnd), 16)
    if (!(size > 0)) return body
    body += received.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}
