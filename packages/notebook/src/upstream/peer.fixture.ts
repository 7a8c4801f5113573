import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createLogger, type Logger } from '@quire/kit/log'

export interface Recorded {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
}

/** The real `fetch`, and what went through it. */
export function createRecordingFetch(): { fetch: typeof fetch; requests: Recorded[] } {
  const requests: Recorded[] = []
  return {
    requests,
    async fetch(input, init) {
      const response = await fetch(input, init)
      requests.push({
        method: init?.method ?? 'GET',
        url: String(input),
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: String(init?.body ?? ''),
        status: response.status,
      })
      return response
    },
  }
}

export interface Peer {
  readonly url: string
  readonly port: number
  /** Everything it was asked, handshakes too. */
  readonly requests: IncomingMessage[]
  close(): Promise<void>
}

/** A server that behaves as badly as a test wants. */
export async function startPeer(
  answer: RequestListener,
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Peer> {
  const requests: IncomingMessage[] = []
  const upgraded = new Set<Duplex>()
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  if (onUpgrade) {
    server.on('upgrade', (request, socket, head) => {
      requests.push(request)
      upgraded.add(socket)
      onUpgrade(request, socket, head)
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of upgraded) socket.destroy()
      await closed
    },
  }
}

export interface KeptLog {
  readonly logger: Logger
  /** As it was written, one record a line. */
  text(): string
  warnings(): readonly string[]
}

export function createKeptLog(): KeptLog {
  const lines: string[] = []
  const logger = createLogger({
    level: 'trace',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  return {
    logger,
    text: () => lines.join(''),
    warnings: () => lines.filter((line) => line.includes('"level":"warn"')),
  }
}
