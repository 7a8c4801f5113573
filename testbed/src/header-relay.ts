import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export type HeaderRelay = {
  /** Stands for the target, path included. */
  readonly url: string
  close(): Promise<void>
}

const SILENCE_DEADLINE_MS = 60_000

/** Passes requests on to a server and adds headers to each, for clients that cannot send any of their own. */
export async function startHeaderRelay(
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<HeaderRelay> {
  const { host, hostname, port, pathname } = new URL(target)
  const server = createServer((incoming, response) => {
    // A Host that was made up for the target must reach it as it is.
    const own = incoming.headers.host === `127.0.0.1:${boundPort(server.address())}`
    const outgoing = request({
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, ...(own && { host }), ...headers },
      timeout: SILENCE_DEADLINE_MS,
    })
    outgoing.on('response', (answer) => passOn(answer, response))
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.freeze({
    url: `http://127.0.0.1:${boundPort(server.address())}${pathname}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  })
}

function passOn(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  // An event stream shows its head before its first event.
  response.flushHeaders()
  answer.on('error', () => response.destroy())
  answer.pipe(response)
}

function boundPort(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.')
  return address.port
}
