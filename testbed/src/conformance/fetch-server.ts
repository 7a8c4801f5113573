import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface FetchServer {
  readonly port: number
  close(): Promise<void>
}

type Fetch = (request: Request) => Promise<Response>

/** A real HTTP server on loopback around a `fetch` function. */
export async function startFetchServer(fetch: Fetch): Promise<FetchServer> {
  const server = createServer((incoming, outgoing) => {
    answer(fetch, incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return Object.freeze({
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  })
}

async function answer(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const response = await fetch(toRequest(incoming, gone.signal))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  if (response.body === null) outgoing.end()
  // A client that goes away in the middle of a stream is nobody's failure.
  else
    await pipeline(Readable.fromWeb(response.body), outgoing, { signal: gone.signal }).catch(() => undefined)
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  })
}
