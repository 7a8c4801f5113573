import { EventEmitter, getEventListeners, once } from 'node:events'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { serve, type WebSocketServerLike } from '@hono/node-server'
import { createRoute } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createApp } from '../app/create-app.ts'
import { needs } from '../app/route-table.ts'
import { CallerError } from '../errors.ts'
import { createLogger } from '../log.ts'
import { serve as serveKit } from '../serve/serve.ts'
import { createBacklog } from './backlog.ts'
import { createHeartbeat } from './heartbeat.ts'
import { type WebSocketSource, type WriteWebSocketOptions, writeWebSocket } from './websocket.ts'
import { selectProtocol } from './websocket-protocol.ts'
import { createWebSocketStreams, type WebSocketStreamsOptions } from './websocket-route.ts'

const until = (check: () => unknown) => vi.waitFor(check, 30_000)

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function collectLog() {
  const lines: string[] = []
  return {
    lines,
    logger: createLogger({
      level: 'info',
      pretty: false,
      destination: { write: (line) => lines.push(line) },
    }),
  }
}

/** A service with one stream at /mounted/ws, behind a real server on a real port. */
async function startStream(source: WebSocketSource, options: Partial<WebSocketStreamsOptions> = {}) {
  const { lines, logger } = collectLog()
  const streams = createWebSocketStreams({ logger, maxStreamsPerCaller: 200, ...options })
  const app = new Hono().get(
    '/ws',
    streams.route((_context, signal) => source(signal)),
  )
  app.onError((error, context) =>
    error instanceof CallerError
      ? new Response(JSON.stringify(error.problem), { status: error.problem.status, headers: error.headers })
      : context.text('', 500),
  )
  const parent = new Hono().mount('/mounted', app.fetch)
  const webSocketServer = new WebSocketServer({ noServer: true, handleProtocols: selectProtocol })
  const server = serve({
    fetch: parent.fetch,
    port: 0,
    hostname: '127.0.0.1',
    websocket: { server: webSocketServer as WebSocketServerLike },
  })
  await once(server, 'listening')
  cleanups.push(async () => {
    for (const socket of webSocketServer.clients) socket.terminate()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { streams, lines, webSocketServer, address: `127.0.0.1:${port}/mounted/ws` }
}

function connect(address: string, options: { protocols?: string[]; autoPong?: boolean } = {}) {
  const { protocols = [], autoPong = true } = options
  const socket = new WebSocket(`ws://${address}`, protocols, { autoPong })
  const messages: unknown[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  cleanups.push(() => socket.terminate())
  // A connection that is cut while it opens says so twice; its close is what counts.
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  return { socket, messages, closed }
}

/** Two ends of one real connection, without Hono between. */
async function connectPair() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  cleanups.push(() => server.close())
  const { port } = server.address() as AddressInfo
  const accepted = once(server, 'connection')
  const client = connect(`127.0.0.1:${port}`)
  const opened = once(client.socket, 'open')
  const [socket]: WebSocket[] = await accepted
  await opened
  if (!socket) throw new Error('no connection')
  return { socket, client }
}

async function* live(bus: EventEmitter, signal: AbortSignal) {
  const backlog = createBacklog<unknown>({
    maxItems: 20,
    policy: 'drop-oldest',
    onDropped: (count) => ({ type: 'dropped', count }),
    signal,
  })
  bus.on('event', backlog.push)
  try {
    yield* backlog
  } finally {
    bus.off('event', backlog.push)
  }
}

describe('a route', () => {
  test('upgrades under a mount, streams JSON texts and closes with 1000', async () => {
    const { address } = await startStream(async function* () {
      yield { type: 'log', message: 'naïve\n日本😀' }
      yield [1, 2]
      yield undefined
      yield { big: 'x'.repeat(3_000_000) }
    })
    const { messages, closed } = connect(address)
    expect(await closed).toBe(1000)
    expect(messages.slice(0, 3)).toEqual([{ type: 'log', message: 'naïve\n日本😀' }, [1, 2], null])
  })

  test('answers the agreed sub-protocol and never the one that carries a token', async () => {
    const { address } = await startStream((signal) => live(new EventEmitter(), signal))
    const { socket } = connect(address, { protocols: ['quire.bearer.c2VjcmV0', 'quire.v1'] })
    const [upgrade] = await once(socket, 'upgrade')
    expect(upgrade.headers['sec-websocket-protocol']).toBe('quire.v1')
    await until(() => expect(socket.protocol).toBe('quire.v1'))
    const { socket: bare } = connect(address)
    const [bareUpgrade] = await once(bare, 'upgrade')
    expect(bareUpgrade.headers['sec-websocket-protocol']).toBeUndefined()
  })

  test('sends bytes that are JSON already as they are, as a text', async () => {
    const shared = Buffer.from('{"said": "once"}')
    const { address } = await startStream(async function* () {
      yield shared
      yield shared
    })
    const { socket, messages, closed } = connect(address)
    const kinds: boolean[] = []
    socket.on('message', (_data, isBinary) => kinds.push(isBinary))
    expect(await closed).toBe(1000)
    expect(messages).toEqual([{ said: 'once' }, { said: 'once' }])
    expect(kinds).toEqual([false, false])
  })

  test('lets others have their turn while the source has more', async () => {
    const count = 1_000
    let pulled = 0
    let pulledInOneTurn = 0
    const { address } = await startStream(async function* () {
      setImmediate(() => {
        pulledInOneTurn = pulled
      })
      for (; pulled < count; pulled += 1) yield pulled
    })
    const { messages, closed } = connect(address)
    expect(await closed).toBe(1000)
    expect(messages).toHaveLength(count)
    expect(pulledInOneTurn).toBeLessThan(count)
  })

  test('gives a caller so many and no more, even those whose handshakes are under way', async () => {
    const { address, streams } = await startStream((signal) => live(new EventEmitter(), signal), {
      maxStreamsPerCaller: 3,
    })
    const statuses: number[] = []
    const all = Array.from({ length: 10 }, () => connect(address))
    for (const { socket } of all)
      socket.on('unexpected-response', (_request, response) => statuses.push(response.statusCode ?? 0))
    await until(() => expect(statuses).toEqual(Array(7).fill(429)))
    expect(streams.size()).toBe(3)
    for (const { socket } of all) socket.terminate()
    await until(() => once(connect(address).socket, 'open', { signal: AbortSignal.timeout(1_000) }))
  })

  test('refuses what is no handshake after all, and keeps no place for it', async () => {
    const { address } = await startStream((signal) => live(new EventEmitter(), signal), {
      maxStreamsPerCaller: 1,
    })
    const url = new URL(`http://${address}`)
    for (let count = 0; count < 3; count += 1) {
      const broken = connectSocket(Number(url.port), '127.0.0.1')
      broken.resume()
      broken.end(
        `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      )
      await once(broken, 'close')
    }
    await until(() => once(connect(address).socket, 'open', { signal: AbortSignal.timeout(1_000) }))
  })

  test('refuses a plain request with 426, behind an app too', async () => {
    const streams = createWebSocketStreams({ logger: collectLog().logger })
    const app = createApp({ errorBody: ({ detail, code }) => ({ detail, code }) })
    app.get(
      '/ws',
      streams.route(async function* () {
        yield 1
      }),
    )
    const response = await app.request('/ws')
    expect(response.status).toBe(426)
    expect(await response.json()).toMatchObject({ code: 'UPGRADE_REQUIRED' })
  })

  test('refuses a plain request with 426', async () => {
    const { address } = await startStream(async function* () {
      yield 1
    })
    const response = await fetch(`http://${address}`)
    expect(response.status).toBe(426)
    expect(response.headers.get('upgrade')).toBe('websocket')
  })

  test('close() tells every peer that the server goes away, later ones too', async () => {
    const bus = new EventEmitter()
    const { address, streams } = await startStream((signal) => live(bus, signal))
    const peers = [connect(address), connect(address)]
    await until(() => expect(streams.size()).toBe(2))
    streams.close()
    for (const peer of [...peers, connect(address)]) expect(await peer.closed).toBe(1001)
    await until(() => expect(bus.listenerCount('event')).toBe(0))
    expect(streams.size()).toBe(0)
  })

  test('a thousand peers that leave abort every source and leave no listener', async () => {
    const bus = new EventEmitter().setMaxListeners(0)
    const { address, streams } = await startStream((signal) => live(bus, signal))
    for (let round = 0; round < 10; round += 1) {
      const peers = Array.from({ length: 100 }, () => connect(address))
      await until(() => expect(bus.listenerCount('event')).toBe(100))
      bus.emit('event', { round })
      for (const { socket } of peers) socket.terminate()
      await until(() => expect(bus.listenerCount('event')).toBe(0))
    }
    expect(streams.size()).toBe(0)
  })

  test('a peer that does not answer is cut off even while it is sent to, one that does is kept', async () => {
    const bus = new EventEmitter()
    const traffic = setInterval(() => bus.emit('event', { tick: 1 }), 5)
    cleanups.push(() => clearInterval(traffic))
    const { address, streams } = await startStream((signal) => live(bus, signal), { heartbeatMs: 200 })
    const dead = connect(address, { autoPong: false })
    const alive = connect(address)
    const pings = vi.fn()
    alive.socket.on('ping', pings)
    expect(await dead.closed).toBe(1006)
    await until(() => expect(pings.mock.calls.length).toBeGreaterThan(2))
    expect(alive.socket.readyState).toBe(WebSocket.OPEN)
    expect(streams.size()).toBe(1)
    expect(bus.listenerCount('event')).toBe(1)
  })

  test('a source that fails is logged and closes with 1011', async () => {
    const { address, lines } = await startStream(async function* () {
      yield { before: 1 }
      throw new Error('database gone')
    })
    const { messages, closed } = connect(address)
    expect(await closed).toBe(1011)
    expect(messages).toEqual([{ before: 1 }])
    expect(lines.join('')).toContain('database gone')
  })

  test.each<[string, WebSocketSource]>([
    [
      'throws at once',
      () => {
        throw new Error('at once')
      },
    ],
    [
      'gives what JSON cannot say',
      async function* () {
        yield 1n
      },
    ],
  ])('a source that %s closes with 1011', async (_what, source) => {
    const { address, lines } = await startStream(source)
    expect(await connect(address).closed).toBe(1011)
    expect(lines).toHaveLength(1)
  })

  test('a revoked token ends the stream it opened', async () => {
    const revocation = new AbortController()
    const streams = createWebSocketStreams({ logger: collectLog().logger })
    const app = createApp({
      errorBody: ({ detail }) => ({ detail }),
      authentication: {
        realm: 'test',
        verify: () => ({ subject: 'ada', scopes: new Set(['logs:read']), revoked: revocation.signal }),
      },
    })
    const route = (path: string, scope: string) =>
      createRoute({
        method: 'get',
        path,
        security: needs(scope),
        responses: { 101: { description: 'a WebSocket' } },
      })
    const source = streams.route(async function* (_context, signal) {
      yield 'hello'
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    app.openapi(route('/logs', 'logs:read'), source)
    app.openapi(route('/metrics', 'metrics:read'), source)
    const listening = await serveKit({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    cleanups.push(() => listening.close(0))
    const open = (path: string) =>
      new WebSocket(`${listening.url.replace('http', 'ws')}${path}`, {
        headers: { authorization: 'Bearer x' },
      })
    const refused = once(open('/metrics'), 'unexpected-response')
    expect((await refused)[1].statusCode, 'a documented route asks for its scope').toBe(403)
    const socket = open('/logs')
    await once(socket, 'message')
    revocation.abort()
    expect((await once(socket, 'close'))[0]).toBe(1001)
  })
})

describe('a slow peer', () => {
  async function startSlow(options: Partial<WriteWebSocketOptions> = {}) {
    const { socket, client } = await connectPair()
    const bus = new EventEmitter()
    const { logger } = collectLog()
    const written = writeWebSocket(socket, (signal) => live(bus, signal), {
      logger,
      heartbeat: createHeartbeat({ intervalMs: 15_000 }),
      ...options,
    })
    await until(() => expect(bus.listenerCount('event')).toBe(1))
    return { socket, client, bus, written }
  }

  async function flood(bus: EventEmitter, socket: WebSocket): Promise<{ pushed: number; held: number }> {
    const text = 'x'.repeat(10_000)
    let held = 0
    for (let seq = 0; seq < 2_000; seq += 1) {
      bus.emit('event', { seq, text })
      await new Promise(setImmediate)
      held = Math.max(held, socket.bufferedAmount)
    }
    return { pushed: 2_000, held }
  }

  test('loses the oldest of what waits in the source, and the socket holds little meanwhile', async () => {
    const { socket, client, bus, written } = await startSlow()
    client.socket.pause()
    const { pushed, held } = await flood(bus, socket)
    expect(held).toBeLessThan(100_000)
    client.socket.resume()
    await until(() => expect(client.messages.at(-1)).toMatchObject({ seq: pushed - 1 }))
    let expected = 0
    let drops = 0
    for (const message of client.messages as { seq?: number; type?: string; count?: number }[]) {
      if (message.type === 'dropped') {
        expected += message.count ?? 0
        drops += 1
      } else expect(message.seq).toBe(expected++)
    }
    expect(expected).toBe(pushed)
    expect(drops).toBeGreaterThan(0)
    client.socket.close()
    await written
  })

  test('is not read for: its source waits, and goes on where it was', async () => {
    const { socket, client } = await connectPair()
    client.socket.pause()
    const text = 'x'.repeat(10_000)
    const count = 3_000
    let pulled = 0
    const written = writeWebSocket(
      socket,
      async function* () {
        for (; pulled < count; pulled += 1) yield { seq: pulled, text }
      },
      { logger: collectLog().logger, heartbeat: createHeartbeat({ intervalMs: 15_000 }) },
    )
    await until(() => expect(socket.bufferedAmount).toBeGreaterThan(65_000))
    expect(socket.bufferedAmount).toBeLessThan(100_000)
    expect(pulled).toBeLessThan(count)
    client.socket.resume()
    await written
    await client.closed
    expect(client.messages.map((message) => (message as { seq: number }).seq)).toEqual(
      Array.from({ length: count }, (_, seq) => seq),
    )
  })

  test('that never reads is cut off as dead, and its source ends', async () => {
    const heartbeat = createHeartbeat({ intervalMs: 50 })
    const { socket, client, bus, written } = await startSlow({ heartbeat })
    client.socket.pause()
    await flood(bus, socket)
    await written
    expect(socket.readyState).toBe(WebSocket.CLOSED)
    await until(() => expect(bus.listenerCount('event')).toBe(0))
    expect(heartbeat.size()).toBe(0)
  })

  test('and a signal of ours leave no listener behind', async () => {
    const shutdown = new AbortController()
    const { client, written } = await startSlow({ signal: shutdown.signal })
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1)
    client.socket.terminate()
    await written
    expect(getEventListeners(shutdown.signal, 'abort')).toEqual([])
  })
})

describe('selectProtocol', () => {
  test.each([
    [['quire.v1'], 'quire.v1'],
    [['quire.bearer.abc', 'quire.v1'], 'quire.v1'],
    [['quire.bearer.abc'], false],
    [['chat', 'QUIRE.V1', ''], false],
    [[], false],
  ])('%j gives %j', (offered, selected) => {
    expect(selectProtocol(new Set(offered))).toBe(selected)
  })
})
