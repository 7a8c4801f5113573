import { EventEmitter, getEventListeners, once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import { verifies } from '@quire/spec/verifies'
import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import type { ServiceEnv } from '../app/service-env.ts'
import { createLogger } from '../log.ts'
import { createBacklog, SlowReaderError } from './backlog.ts'
import { createSse, type Sse, type SseResponseOptions, type StreamContext } from './sse.ts'
import { lastEventId, type SseMessage } from './sse-frame.ts'
import type { SseSource } from './sse-stream.ts'

const until = (check: () => unknown) => vi.waitFor(check, 30_000)

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const nobody: StreamContext = { get: () => undefined as never }

/** A service with one stream at /mounted/events, behind a real server on a real port. */
async function startStream(
  source: (request: Request) => SseSource,
  { heartbeatMs, ...options }: SseResponseOptions & { heartbeatMs?: number } = {},
) {
  const lines: string[] = []
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  const sse = createSse({ logger, ...(heartbeatMs && { heartbeatMs }) })
  const app = new Hono<ServiceEnv>()
    .get('/events', (context) => sse.response(context, source(context.req.raw), options))
    .get('/ping', (context) => context.text('pong'))
  const parent = new Hono().mount('/mounted', app.fetch)
  const server = serve({ fetch: parent.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  cleanups.push(() => stop(server))
  const { port } = server.address() as AddressInfo
  return { sse, lines, port, url: `http://127.0.0.1:${port}/mounted/events` }
}

async function stop(server: ServerType): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

function connectRaw(port: number): net.Socket {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write('GET /mounted/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  cleanups.push(() => socket.destroy())
  return socket
}

async function readUntil(response: Response, wanted: (text: string) => boolean): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (wanted(text)) return text
  }
  throw new Error(`The stream ended too early, after: ${text}`)
}

async function* count(from: number, to: number): AsyncGenerator<SseMessage> {
  for (let id = from; id <= to; id += 1) yield { id, event: 'number', data: `${id}` }
}

/** Says nothing until it is told to stop, as a source of live events does. */
async function* silence(signal: AbortSignal, onEnd: () => void): AsyncGenerator<SseMessage> {
  try {
    yield* createBacklog<SseMessage>({ maxItems: 1, policy: 'fail', signal })
  } finally {
    onEnd()
  }
}

async function* nonsense(): AsyncGenerator<never> {
  yield undefined as never
}

const untilEmpty = (sse: Sse) => until(() => expect(sse.size()).toBe(0))

test('a stream has its headers, its frames and an end', async () => {
  const { url } = await startStream(() => () => count(1, 3), { headers: { 'x-conversation-id': 'c1' } })
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-conversation-id')).toBe('c1')
  expect(await response.text()).toBe(
    [1, 2, 3].map((id) => `id: ${id}\nevent: number\ndata: ${id}\n\n`).join(''),
  )
})

test('a reader goes on after the last event it saw', async () => {
  verifies('ALL-STREAM-2', 'ALL-STREAM-3')
  const { url } = await startStream((request) => () => count((lastEventId(request) ?? 0) + 1, 5))
  const resumed = await fetch(url, { headers: { 'last-event-id': '3' } })
  expect(await resumed.text()).toBe('id: 4\nevent: number\ndata: 4\n\nid: 5\nevent: number\ndata: 5\n\n')
  const garbage = await fetch(url, { headers: { 'last-event-id': '3; drop table' } })
  expect(await garbage.text()).toContain('id: 1\n')
})

test('unicode, line breaks and big messages arrive whole', async () => {
  const big = '日本😀'.repeat(400_000)
  const { url } = await startStream(
    () =>
      async function* () {
        yield { data: 'a\nb\r\nc' }
        yield { data: big }
        yield { data: 'after' }
      },
  )
  const text = await (await fetch(url)).text()
  expect(text === `data: a\ndata: b\ndata: c\n\ndata: ${big}\n\ndata: after\n\n`).toBe(true)
})

test('what is ready at once is sent at once', async () => {
  const sse = createSse({ logger: createLogger({ level: 'silent', pretty: false }) })
  let chunks = 0
  for await (const _chunk of sse.response(nobody, () => count(1, 100)).body ?? []) chunks += 1
  expect(chunks).toBeLessThan(5)
})

test('a quiet stream is kept alive by comment lines', async () => {
  verifies('ALL-STREAM-1')
  const { url } = await startStream(() => (signal) => silence(signal, () => {}), { heartbeatMs: 20 })
  const text = await readUntil(await fetch(url), (text) => text.split(': keep-alive\n\n').length > 3)
  expect(text.replaceAll(': keep-alive\n\n', '')).toBe('')
})

test('a reader that leaves ends the source', async () => {
  const ended = vi.fn()
  const { url, sse, lines } = await startStream(() => (signal) => silence(signal, ended))
  const aborter = new AbortController()
  await fetch(url, { signal: aborter.signal })
  expect(sse.size()).toBe(1)
  aborter.abort()
  await untilEmpty(sse)
  await until(() => expect(ended).toHaveBeenCalledTimes(1))
  expect(lines).toEqual([])
})

test('a thousand readers that leave abort every source and leave no listener', async () => {
  const shutdown = new AbortController()
  const bus = new EventEmitter().setMaxListeners(0)
  let opened = 0
  let ended = 0
  const source = () =>
    async function* (signal: AbortSignal) {
      const backlog = createBacklog<SseMessage>({ maxItems: 10, policy: 'fail', signal })
      bus.on('event', backlog.push)
      opened += 1
      try {
        yield* backlog
      } finally {
        bus.off('event', backlog.push)
        ended += 1
      }
    }
  const { port, sse } = await startStream(source, { signal: shutdown.signal })
  for (let round = 1; round <= 10; round += 1) {
    const sockets = Array.from({ length: 100 }, () => connectRaw(port))
    await until(() => expect(opened).toBe(round * 100))
    bus.emit('event', { data: 'to all' })
    for (const socket of sockets) socket.destroy()
    await untilEmpty(sse)
  }
  await until(() => expect(ended).toBe(1_000))
  expect(bus.listenerCount('event')).toBe(0)
  expect(getEventListeners(shutdown.signal, 'abort')).toEqual([])
})

test('a source that fails is logged and told as a last message', async () => {
  const onError = (error: unknown) => ({ event: 'error', data: `sorry: ${String(error)}` })
  const { url, lines, sse } = await startStream(
    () =>
      async function* () {
        yield { data: 'first' }
        throw new Error('database gone', { cause: new Error('socket closed') })
      },
    { onError },
  )
  expect(await (await fetch(url)).text()).toBe(
    'data: first\n\nevent: error\ndata: sorry: Error: database gone\n\n',
  )
  expect(sse.size()).toBe(0)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('socket closed')
})

test.each<[string, SseSource, SseResponseOptions]>([
  [
    'at once',
    () => {
      throw new Error('at once')
    },
    {},
  ],
  [
    'by fail()',
    (signal, fail) => {
      fail(new Error('by fail'))
      return silence(signal, () => {})
    },
    {},
  ],
  [
    'with an onError that fails too',
    () => {
      throw new Error('x')
    },
    {
      onError: () => {
        throw new Error('y')
      },
    },
  ],
  ['with a message that is none', nonsense, {}],
])('a source that fails %s ends the stream and hurts nobody', async (_how, source, options) => {
  const { url, lines, sse } = await startStream(() => source, options)
  const response = await fetch(url)
  expect(response.status).toBe(200)
  await response.text()
  expect(sse.size()).toBe(0)
  expect(lines.length).toBeGreaterThan(0)
})

test('a reader that never reads holds a source that can wait, and little memory', async () => {
  let produced = 0
  const data = 'x'.repeat(10_000)
  const { port, url } = await startStream(
    () =>
      async function* () {
        for (;;) {
          produced += data.length
          yield { data }
        }
      },
  )
  connectRaw(port).pause()
  await until(() => expect(produced).toBeGreaterThan(0))
  for (let round = 0; round < 50; round += 1) await fetch(url.replace('events', 'ping'))
  expect(produced).toBeLessThan(16_000_000)
})

test('a reader that takes nothing for several heartbeats is let go of', async () => {
  let isAborted = false
  const { port, sse, lines } = await startStream(
    () =>
      async function* (signal) {
        signal.addEventListener('abort', () => {
          isAborted = true
        })
        for (;;) yield { data: 'x'.repeat(10_000) }
      },
    { heartbeatMs: 30 },
  )
  connectRaw(port).pause()
  await until(() => expect(isAborted).toBe(true))
  expect(sse.size()).toBe(0)
  expect(lines.join('')).toContain('SlowReaderError')
})

test('a reader too slow for a source that cannot wait is ended with a message', async () => {
  const bus = new EventEmitter()
  const aborted = vi.fn()
  const onError = (error: unknown) =>
    error instanceof SlowReaderError ? { event: 'error', data: 'too slow, connect again' } : undefined
  const source = () =>
    async function* (signal: AbortSignal, fail: (error: unknown) => void) {
      const backlog = createBacklog<SseMessage>({
        maxBytes: 1_048_576,
        sizeOf: ({ data }) => data.length,
        policy: 'fail',
        signal,
        onOverflow: fail,
      })
      bus.on('event', backlog.push)
      signal.addEventListener('abort', aborted)
      try {
        yield* backlog
      } finally {
        bus.off('event', backlog.push)
      }
    }
  const { port, sse } = await startStream(source, { onError })
  const socket = connectRaw(port)
  socket.pause()
  await until(() => expect(bus.listenerCount('event')).toBe(1))
  const message = { data: 'y'.repeat(10_000) }
  let pushed = 0
  while (sse.size() > 0 && pushed < 100_000_000) {
    bus.emit('event', message)
    pushed += message.data.length
    await new Promise(setImmediate)
  }
  expect(pushed).toBeLessThan(100_000_000)
  expect(aborted).toHaveBeenCalledTimes(1)
  expect(bus.listenerCount('event')).toBe(0)

  let tail = ''
  socket.on('data', (chunk) => {
    tail = (tail + chunk.toString('latin1')).slice(-200)
  })
  socket.resume()
  await until(() =>
    expect(tail).toMatch(/yy\n\nevent: error\ndata: too slow, connect again\n\n\r\n0\r\n\r\n$/),
  )
})

test('a shutdown ends every stream with a message, and later ones too', async () => {
  const { url, sse } = await startStream(() => (signal) => silence(signal, () => {}))
  const responses = await Promise.all([fetch(url), fetch(url)])
  sse.close({ event: 'error', data: 'the server stops' })
  for (const response of [...responses, await fetch(url)]) {
    expect(await response.text()).toBe('event: error\ndata: the server stops\n\n')
  }
  expect(sse.size()).toBe(0)
})

test('a signal ends its stream, before and after the start', async () => {
  const aborter = new AbortController()
  const ended = vi.fn()
  const { url } = await startStream(() => (signal) => silence(signal, ended), { signal: aborter.signal })
  const response = await fetch(url)
  aborter.abort()
  expect(await response.text()).toBe('')
  expect(await (await fetch(url)).text()).toBe('')
  await until(() => expect(ended).toHaveBeenCalledTimes(2))
})

test('HEAD starts no source', async () => {
  const source = vi.fn((signal: AbortSignal) => silence(signal, () => {}))
  const { url, sse } = await startStream(() => source)
  const response = await fetch(url, { method: 'HEAD' })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(source).not.toHaveBeenCalled()
  expect(sse.size()).toBe(0)
})

test('a revoked token ends the stream it opened, and opens no other', async () => {
  const revocation = new AbortController()
  const principal = { subject: 'ada', revoked: revocation.signal }
  const sse = createSse({ logger: createLogger({ level: 'silent', pretty: false }) })
  const ended: boolean[] = []
  const context: StreamContext = { get: () => principal as never }
  const open = () => sse.response(context, (signal) => silence(signal, () => ended.push(true))).text()
  const reading = open()
  await vi.waitFor(() => expect(sse.size()).toBe(1), 30_000)
  revocation.abort()
  await reading
  await open()
  expect(sse.size()).toBe(0)
})

test('a stream that we end says why, after all that was said before', async () => {
  const revocation = new AbortController()
  const context: StreamContext = { get: () => ({ subject: 'ada', revoked: revocation.signal }) as never }
  const sse = createSse({ logger: createLogger({ level: 'silent', pretty: false }) })
  const onEnd = (why: string) => [{ data: why }, { data: 'done' }]
  async function* source(signal: AbortSignal) {
    yield { data: 'one' }
    yield* silence(signal, () => undefined)
  }
  const reading = sse.response(context, source, { onEnd }).text()
  await vi.waitFor(() => expect(sse.size()).toBe(1), 30_000)
  revocation.abort()
  expect(await reading).toBe('data: one\n\ndata: refused\n\ndata: done\n\n')
  const aborted = { signal: AbortSignal.abort(), onEnd }
  expect(await sse.response(nobody, source, aborted).text()).toContain('data: refused\n\ndata: done\n\n')
})

test('a caller reads so many streams at a time, and another as many', async () => {
  const sse = createSse({ logger: createLogger({ level: 'silent', pretty: false }), mostReaders: 2 })
  const stops: AbortController[] = []
  const open = (subject: string) => {
    const stop = new AbortController()
    stops.push(stop)
    const context: StreamContext = { get: () => ({ subject }) as never }
    const options = { signal: stop.signal, onEnd: (why: string) => ({ data: why }) }
    return sse.response(context, (signal) => silence(signal, () => undefined), options).text()
  }
  const reading = [open('ada'), open('ada'), open('bob')]
  await vi.waitFor(() => expect(sse.size()).toBe(3), 30_000)
  expect(() => sse.readers.assertRoom('ada')).toThrow('You read 2 streams already')
  expect(() => sse.readers.assertRoom('bob')).not.toThrow()
  expect(await open('ada')).toBe('data: too-many\n\n')
  stops[0]?.abort()
  await reading[0]
  expect(() => sse.readers.assertRoom('ada')).not.toThrow()
  for (const stop of stops) stop.abort()
  await Promise.all(reading)
  expect(sse.readers.enter('ada')).toBeDefined()
})
