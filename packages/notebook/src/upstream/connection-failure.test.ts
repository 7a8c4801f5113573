import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createKeptLog, type Peer, startPeer } from './peer.fixture.ts'
import { createJupyterServer } from './server.ts'

const TOKEN = 'canary-token-0123456789'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(...args: Parameters<typeof startPeer>): Promise<Peer> {
  const peer = await startPeer(...args)
  cleanups.push(peer.close)
  return peer
}

const open = (url: string) => createJupyterServer({ url, token: TOKEN }, { logger: createKeptLog().logger })

describe('a peer that cannot be reached', () => {
  async function freePort(): Promise<number> {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    return port
  }

  async function rawPeer(text: string): Promise<string> {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(text)),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => new Promise((resolve) => server.close(resolve)))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const REASONS: [string, () => Promise<string> | string, RegExp][] = [
    [
      'nobody listens',
      async () => `http://127.0.0.1:${await freePort()}`,
      /ECONNREFUSED.*Nothing listens there/,
    ],
    [
      'nobody listens at any address of the name',
      async () => `http://localhost:${await freePort()}`,
      /ECONNREFUSED.*Nothing listens there/,
    ],
    ['there is no such host', () => 'http://no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/],
    ['it hangs up', () => rawPeer(''), /UND_ERR_SOCKET|ECONNRESET.*connection was cut/],
    [
      'it hangs up in the middle',
      () => rawPeer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"'),
      /connection was cut/,
    ],
    [
      'it does not speak HTTP',
      () => rawPeer('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
      /HTTPParserError.*does not speak HTTP/,
    ],
    [
      'it does not speak TLS',
      async () => (await host((_request, response) => response.end())).url.replace('http', 'https'),
      /does not speak TLS there: use http/,
    ],
    ['its port is one that browsers avoid', () => 'http://127.0.0.1:6667', /Connection error/],
  ]

  test.each(REASONS)('%s', async (_name, address, message) => {
    const url = await address()
    await expect(open(url).request('GET', ['api'])).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(message),
    })
    await expect(open(url).request('GET', ['api'])).rejects.toThrow(
      /Connection error: GET http.*\/api failed/,
    )
    await expect(open(url).openSocket(['api'], {})).rejects.toMatchObject({ name: 'ToolError' })
  })
})
