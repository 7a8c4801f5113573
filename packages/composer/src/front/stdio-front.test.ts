import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createLineReader } from '@quire/mcp/connection/line-reader'
import { afterEach, describe, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { ENVELOPE, toCall, toInitialize, toModern } from './front-host.fixture.ts'
import { createTestGateway } from './gateway.fixture.ts'
import { serveStdioFront } from './stdio-front.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function start(options: { maxLineBytes?: number } = {}) {
  const gateway = createTestGateway()
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const front = serveStdioFront(gateway, { stdin, stdout, stderr, logger: createSilentLogger(), ...options })
  cleanups.push(front.close)
  return { gateway, stdin, stdout, stderr, front }
}

/** A client that writes what it likes, and keeps all that it is sent. */
function startRaw(options: { maxLineBytes?: number } = {}) {
  const started = start(options)
  const received: Record<string, unknown>[] = []
  const lines = createLineReader({
    maxBytes: 10_000_000,
    onLine: (line) => received.push(JSON.parse(line)),
    onOverflow: () => undefined,
  })
  started.stdout.on('data', (chunk) => lines.push(chunk))
  const send = (message: unknown) =>
    started.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const answered = (id: unknown) => expect.poll(() => received.find((message) => message.id === id))
  return { ...started, received, send, answered }
}

const modern = (id: string | number, method: string, params: Record<string, unknown> = {}, meta = {}) =>
  toModern(id, method, params, meta).body

describe.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('the official client in mode %s', (mode, version) => {
  test('lists, calls, hears progress and is told of changes', async () => {
    const { gateway, stdin, stdout } = start()
    const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
    const told: string[] = []
    client.setNotificationHandler('notifications/tools/list_changed', () => void told.push('tools'))
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void told.push(params.uri),
    )
    await client.connect(new StdioServerTransport(stdout, stdin))
    cleanups.push(() => client.close())
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    const result = await client.callTool({ name: 'echo', arguments: { a: 1 } })
    expect(result.content).toEqual([{ type: 'text', text: '{"a":1}' }])
    const progress: number[] = []
    const call = client.callTool(
      { name: 'progress', arguments: {} },
      { onprogress: ({ progress: value }) => void (progress.push(value) === 1 && gateway.release()) },
    )
    await call
    expect(progress).toEqual([1, 2])
    if (mode === 'auto') await client.listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    else await client.subscribeResource({ uri: 'a:1' })
    gateway.change({ type: 'resource', uri: 'a:2' })
    gateway.change({ type: 'resource', uri: 'a:1' })
    gateway.change({ type: 'tools' })
    await expect.poll(() => told).toEqual(['a:1', 'tools'])
  })

  test('cancels', async () => {
    const { gateway, stdin, stdout } = start()
    const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioServerTransport(stdout, stdin))
    cleanups.push(() => client.close())
    const cancel = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: cancel.signal })
    await expect.poll(() => gateway.requests.at(-1)?.params.name).toBe('wait')
    cancel.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => gateway.requests.at(-1)?.signal.aborted).toBe(true)
  })
})

describe('what a client says first', () => {
  test('a question for the era decides nothing', async () => {
    const { send, answered } = startRaw()
    send(modern(1, 'server/discover'))
    await answered(1).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } })
    send(toInitialize())
    await answered('init').toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    send(toCall(2, 'echo'))
    await answered(2).toMatchObject({ result: {} })
  })

  test('with an envelope makes it a client without a session', async () => {
    const { send, answered, gateway } = startRaw()
    send(modern(1, 'tools/list'))
    await answered(1).toMatchObject({ result: {} })
    send(toInitialize('2025-06-18'))
    await answered('init').toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-06-18' } },
    })
    send(toCall(2, 'echo'))
    await answered(2).toMatchObject({ error: { code: -32602 } })
    send(modern(3, 'ping'))
    await answered(3).toMatchObject({ error: { code: -32601 } })
    expect(gateway.requests).toHaveLength(1)
    expect(gateway.requests[0]).toMatchObject({ client: { era: 'modern' } })
    expect(gateway.requests[0]?.ask).toBeUndefined()
  })

  test('without one makes it a client with a session', async () => {
    const { send, answered } = startRaw()
    send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    await answered(1).toMatchObject({ result: {} })
    send(modern(2, 'server/discover'))
    await answered(2).toMatchObject({ error: { code: -32601 } })
  })

  test.each([
    ['a broken envelope', { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': 7 }, -32602],
    ['an unknown revision', { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }, -32022],
  ])('with %s decides nothing', async (_what, _meta, code) => {
    const { send, answered } = startRaw()
    send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
    await answered(1).toMatchObject({ error: { code } })
    send(toInitialize())
    await answered('init').toMatchObject({ result: {} })
  })
})

test.each([
  ['no JSON', '{', -32700],
  ['a batch', [toCall(1, 'echo')], -32600],
  ['no message', { jsonrpc: '2.0' }, -32600],
  ['too deep a message', `${'['.repeat(500)}${']'.repeat(500)}`, -32600],
  ['too long a line', 'x'.repeat(20_000), -32600],
])('%s is answered, and the next message too', async (_what, line, code) => {
  const { send, answered, received } = startRaw({ maxLineBytes: 10_000 })
  send(line)
  send('')
  send(toInitialize())
  await answered('init').toMatchObject({ result: {} })
  expect(received[0]).toMatchObject({ id: null, error: { code } })
})

test('a notification that the gateway chokes on is no end', async () => {
  const { send, answered, gateway } = startRaw()
  gateway.notified = () => {
    throw new Error('choked')
  }
  send(toInitialize())
  send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
  send(toCall(1, 'echo'))
  await answered(1).toMatchObject({ result: {} })
})

test('a question to the client is answered', async () => {
  const { send, answered, received } = startRaw()
  send(toInitialize('2025-11-25', { sampling: {} }))
  send(toCall(1, 'ask'))
  const question = () => received.find(({ method }) => method === 'sampling/createMessage')
  await expect.poll(question).toBeDefined()
  send({ jsonrpc: '2.0', id: question()?.id, result: { because: 1 } })
  await answered(1).toMatchObject({ result: { content: [{ text: '{"because":1}' }] } })
})

describe('a subscription of the era without sessions', () => {
  test('ends when it is cancelled', async () => {
    const { send, gateway, received } = startRaw()
    send(modern('sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    expect(gateway.listeners()).toBe(2)
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } })
    await expect.poll(gateway.listeners).toBe(1)
    gateway.change({ type: 'tools' })
    send(modern(2, 'tools/list'))
    await expect.poll(() => received.length).toBe(2)
    expect(received[1]).toMatchObject({ id: 2 })
  })

  test('ends with a result when the front does', async () => {
    const { send, front, gateway, answered, received } = startRaw()
    send(modern('sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
    await expect.poll(() => received.length).toBe(1)
    await front.close()
    await answered('sub').toMatchObject({ result: { resultType: 'complete' } })
    expect(gateway.listeners()).toBe(0)
  })

  test('is refused where the wish is none', async () => {
    const { send, answered } = startRaw()
    send(modern('sub', 'subscriptions/listen', { notifications: 7 }))
    await answered('sub').toMatchObject({ error: { code: -32602 } })
  })
})

test.each(['legacy', 'modern'])('the end of stdin cancels what is under way (%s)', async (era) => {
  const { send, stdin, front, gateway } = startRaw()
  send(era === 'legacy' ? toCall(1, 'wait') : modern(1, 'tools/call', { name: 'wait' }))
  await expect.poll(() => gateway.requests.length).toBe(1)
  stdin.end()
  await front.closed
  expect(gateway.requests[0]?.signal.aborted).toBe(true)
  expect(gateway.listeners()).toBe(0)
})

test('a client that stops reading, or is gone, ends it', async () => {
  const { stdout, front } = startRaw()
  stdout.destroy(new Error('EPIPE'))
  await front.closed
})

test.each(['client', 'server'])('stdout is guarded until the end, by the %s', async (end) => {
  const { stdin, stdout, stderr, front } = start()
  stdout.write('astray')
  expect(stdout.read()).toBeNull()
  expect(String(stderr.read())).toBe('astray')
  if (end === 'client') stdin.end()
  else await front.close()
  await front.closed
  stdout.write('free')
  expect(String(stdout.read())).toBe('free')
})
