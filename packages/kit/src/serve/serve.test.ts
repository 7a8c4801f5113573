import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { upgradeWebSocket } from '@hono/node-server'
import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createApp } from '../app/create-app.ts'
import { createKeyRing } from '../auth/key-ring.ts'
import { hashToken } from '../auth/token.ts'
import { ConfigError } from '../config/config-error.ts'
import { createLogger } from '../log.ts'
import { createSse } from '../stream/sse.ts'
import { type Listening, type ServeOptions, serve } from './serve.ts'
import { shutDown } from './shut-down.ts'

const open: Listening[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close(0)))
})

const start = async (options: Partial<ServeOptions> & Pick<ServeOptions, 'fetch'>) => {
  const listening = await serve({ host: '127.0.0.1', port: 0, ...options })
  open.push(listening)
  return listening
}
const hello = () => new Response('hello')

/** A server whose answer waits until it is released. */
const startHeld = async () => {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const fetch = async () => {
    arrived.resolve()
    await release.promise
    return hello()
  }
  return { listening: await start({ fetch }), arrived: arrived.promise, release: release.resolve }
}

describe('listening', () => {
  test('says in plain words that a port is taken', async () => {
    const { port } = await start({ fetch: hello })
    await expect(serve({ fetch: hello, host: '127.0.0.1', port })).rejects.toThrow(
      `--port (127.0.0.1:${port}): is in use by another program (EADDRINUSE): stop that program or choose another --port`,
    )
  })

  test('says in plain words that an address is not ours', async () => {
    await expect(serve({ fetch: hello, host: '192.0.2.1', port: 0 })).rejects.toThrow(
      /192\.0\.2\.1:0\): is no address of this machine/,
    )
  })

  test('gives the public address as its own where there is one', async () => {
    const { url } = await start({ fetch: hello, publicUrl: 'https://quire.example' })
    expect(url).toBe('https://quire.example')
  })

  test('speaks https with a certificate, and names a file that is of no use', async () => {
    verifies('ALL-OPS-1')
    const folder = mkdtempSync(join(tmpdir(), 'quire-tls-'))
    const file = (name: string) => join(folder, name)
    const tls = { certFile: file('cert.pem'), keyFile: file('key.pem') }
    const refusal = (files: Partial<typeof tls>) =>
      serve({ fetch: hello, host: '127.0.0.1', port: 0, tls: { ...tls, ...files } }).then(
        () => 'none',
        (error: unknown) => (error instanceof ConfigError ? error.message : error),
      )
    try {
      expect(await refusal({})).toMatch(/^--tls-cert .*cannot be read: ENOENT/)
      makeCertificate(tls)
      makeCertificate({ certFile: file('other.pem'), keyFile: file('other-key.pem') })
      writeFileSync(file('words'), 'no certificate')
      writeFileSync(file('empty'), '')
      for (const [files, words] of [
        [{ certFile: file('words') }, '--tls-cert ('],
        [{ certFile: file('empty') }, 'holds no certificate'],
        [{ certFile: tls.keyFile }, 'holds no certificate'],
        [{ keyFile: file('words') }, '--tls-key ('],
        [{ keyFile: file('empty') }, 'holds no private key'],
        [{ keyFile: tls.certFile }, 'holds no private key'],
        [{ keyFile: file('other-key.pem') }, 'is not the key of the certificate in'],
      ] as const) {
        const message = await refusal(files)
        expect(message).toContain(words)
        expect(message).not.toContain('\n')
      }
      const { url } = await start({ fetch: hello, tls })
      expect(url).toMatch(/^https:/)
      const [answer] = await once(get(url, { rejectUnauthorized: false }), 'response')
      expect(answer.statusCode).toBe(200)
      answer.resume()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

function makeCertificate({ certFile, keyFile }: { certFile: string; keyFile: string }): void {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
}

describe('slow and odd clients', () => {
  test('a head that never ends is cut off', async () => {
    const { port } = await start({ fetch: hello, timeouts: { headMs: 200, wholeMs: 400 } })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    socket.resume()
    await once(socket, 'close')
  })

  test('a body that never ends is cut off', async () => {
    const { port } = await start({
      fetch: async (request) => new Response(await request.text()),
      timeouts: { headMs: 200, wholeMs: 400 },
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc')
    socket.resume()
    await once(socket, 'close')
  })

  test.each([
    [
      'a length and pieces at once',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
    ],
    ['a header beyond all measure', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n'],
  ])('%s ends that connection and no other', async (_what, text) => {
    const { port, url } = await start({ fetch: hello })
    const { status } = await sendRaw(port, text)
    expect([0, 400, 431]).toContain(status)
    expect((await fetch(url)).status).toBe(200)
  })

  test('an upgrade to something else than WebSocket is answered as a plain request', async () => {
    const { port } = await start({ fetch: hello })
    const answer = await sendRaw(
      port,
      'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    )
    expect([answer.status, answer.body]).toEqual([200, 'hello'])
  })
})

describe('WebSocket handshakes', () => {
  const token = 'a-token-for-web-sockets+/='
  const bearer = `quire.bearer.${Buffer.from(token).toString('base64url')}`

  const startEcho = () => {
    const app = createApp({
      errorBody: ({ detail }) => ({ detail }),
      guards: {},
      authentication: {
        realm: 'test',
        verify: createKeyRing([{ hash: hashToken(token), subject: 'ada' }]).verify,
      },
    })
    app.get(
      '/ws',
      upgradeWebSocket((c) => ({ onOpen: (_event, socket) => socket.send(c.get('principal').subject) })),
    )
    return start({ fetch: app.fetch })
  }
  const handshake = async (port: number, headers: Record<string, string>, protocols: string[] = []) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, protocols, { headers })
    const outcome = new Promise<number | string>((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
      socket.on('message', (data) => resolve(`${String(data)} over ${socket.protocol || 'no protocol'}`))
      socket.on('error', () => undefined)
    })
    const result = await outcome
    socket.terminate()
    return result
  }

  test.each<[string, Record<string, string>, string[], number | string]>([
    ['with the header', { authorization: `Bearer ${token}` }, [], 'ada over no protocol'],
    [
      'with the token as a sub-protocol, which is not said back',
      {},
      ['quire.v1', bearer],
      'ada over quire.v1',
    ],
    [
      'from an allowed page',
      { authorization: `Bearer ${token}`, origin: 'http://localhost:5173' },
      [],
      'ada over no protocol',
    ],
    ['without a token', {}, [], 401],
    ['with a wrong sub-protocol token', {}, ['quire.v1', 'quire.bearer.d3Jvbmc'], 401],
    [
      'with the bare token as a sub-protocol',
      {},
      ['quire.v1', `quire.bearer.${token.replace(/[+/=]/g, '')}`],
      401,
    ],
    ['with two tokens', { authorization: `Bearer ${token}` }, ['quire.v1', bearer], 400],
    [
      'from a foreign page, though the token is right',
      { authorization: `Bearer ${token}`, origin: 'https://evil.example' },
      [],
      403,
    ],
    [
      'to a foreign host, though the token is right',
      { authorization: `Bearer ${token}`, host: 'evil.example' },
      [],
      421,
    ],
    ['to a host in another notation', { authorization: `Bearer ${token}`, host: '0x7f000001' }, [], 421],
  ])('%s', async (_what, headers, protocols, expected) => {
    verifies('ALL-HOST-6', 'ALL-ORIGIN-6')
    const { port } = await startEcho()
    expect(await handshake(port, headers, protocols)).toBe(expected)
  })
})

describe('upgrades that are not taken', () => {
  const upgrade = (method = 'GET') =>
    `${method} / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`

  test('let go of the connection although the client keeps its end, and do not hold up the close', async () => {
    const listening = await serve({
      fetch: () => new Response('no', { status: 401 }),
      host: '127.0.0.1',
      port: 0,
    })
    const sockets = await Promise.all(
      [0, 1].map(async () => {
        const socket = connect({ port: listening.port, host: '127.0.0.1', allowHalfOpen: true })
        socket.resume().write(upgrade())
        await once(socket, 'end')
        return socket
      }),
    )
    const [held] = sockets
    held?.on('error', () => undefined)
    await vi.waitFor(() => {
      held?.write('x')
      expect(held?.destroyed).toBe(true)
    }, 30_000)
    await listening.close(10_000)
    for (const socket of sockets) socket.destroy()
  })

  test('end the stream that would have been their body', async () => {
    const cancelled = Promise.withResolvers<void>()
    const { port } = await start({
      fetch: () => new Response(new ReadableStream({ cancel: () => cancelled.resolve() })),
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(upgrade())
    await cancelled.promise
    socket.destroy()
  })

  test('are plain requests when the method is not GET', async () => {
    const { port } = await start({ fetch: (request) => new Response(request.method) })
    expect((await sendRaw(port, upgrade('DELETE'))).body).toBe('DELETE')
  })
})

test('a peer that pings and never listens is cut off', async () => {
  const app = createApp({ errorBody: ({ detail }) => ({ detail }) })
  app.get(
    '/ws',
    upgradeWebSocket(() => ({})),
  )
  const { url } = await start({ fetch: app.fetch })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  await once(socket, 'open')
  const answered = once(socket, 'pong')
  socket.ping('are you there')
  expect(String((await answered)[0])).toBe('are you there')
  const closed = once(socket, 'close')
  socket.pause()
  const payload = Buffer.alloc(125)
  const flood = () => {
    for (let count = 0; count < 2_000 && socket.readyState === WebSocket.OPEN; count += 1)
      socket.ping(payload)
    if (socket.readyState === WebSocket.OPEN) setImmediate(flood)
  }
  socket.on('error', () => undefined)
  flood()
  await closed
})

describe('closing', () => {
  test('lets a request in flight finish, and takes no new one', async () => {
    const { listening, arrived, release } = await startHeld()
    const answer = fetch(listening.url)
    await arrived
    const closing = listening.close(10_000)
    await expect(fetch(listening.url)).rejects.toThrow()
    release()
    expect(await (await answer).text()).toBe('hello')
    await closing
  })

  test('cuts what has not finished within the grace, and is idempotent', async () => {
    const app = createApp({ errorBody: ({ detail }) => ({ detail }) })
    app.get(
      '/forever',
      () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([120])) }),
        ),
    )
    app.get(
      '/ws',
      upgradeWebSocket(() => ({})),
    )
    const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    const socket = new WebSocket(`${listening.url.replace('http', 'ws')}/ws`)
    await once(socket, 'open')
    const body = (await fetch(`${listening.url}/forever`)).body?.getReader()
    await body?.read()
    const closed = once(socket, 'close')
    await Promise.all([listening.close(50), listening.close(50)])
    expect((await closed)[0]).toBe(1001)
    await expect(body?.read()).rejects.toThrow()
  })

  test('waits for nobody who has asked nothing', async () => {
    const listening = await serve({ fetch: hello, host: '127.0.0.1', port: 0 })
    const silent = connect(listening.port, '127.0.0.1')
    const half = connect(listening.port, '127.0.0.1')
    half.write('GET / HTTP/1.1\r\nHost: loc')
    await fetch(listening.url)
    const gone = [once(silent.resume(), 'close'), once(half.resume(), 'close')]
    const outcome = await Promise.race([
      listening.close(60_000).then(() => 'closed'),
      sleep(30_000, 'waited', { ref: false }),
    ])
    expect(outcome).toBe('closed')
    await Promise.all(gone)
  })

  test('answers what was sent before, and says that the connection ends', async () => {
    const { listening, arrived, release } = await startHeld()
    const answer = sendRaw(listening.port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await arrived
    const closing = listening.close(10_000)
    release()
    expect((await answer).headers).toMatchObject({ connection: 'close' })
    expect((await answer).body).toBe('hello')
    await closing
  })

  test('ends streams first, then waits for answers, then lets go of what they stand on', async () => {
    const sse = createSse({ logger: createLogger({ level: 'silent', pretty: false }) })
    const app = createApp({ errorBody: ({ detail }) => ({ detail }) })
    app.get('/events', (c) =>
      sse.response(c, async function* (signal) {
        yield { data: 'hello' }
        await once(signal, 'abort')
      }),
    )
    const order: string[] = []
    const service = {
      drain: () => {
        order.push('drain')
        sse.close({ data: 'goodbye' })
      },
      close: () => void order.push('close service'),
    }
    const store = { close: () => void order.push('close store') }
    const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    const answer = await fetch(`${listening.url}/events`)
    const text = answer.text().finally(() => order.push('stream ended'))
    await vi.waitFor(() => expect(sse.size()).toBe(1), 30_000)
    await shutDown(listening, [store, service], 60_000)
    expect(await text).toBe('data: hello\n\ndata: goodbye\n\n')
    expect(order).toEqual(['drain', 'stream ended', 'close service', 'close store'])
  })
})
