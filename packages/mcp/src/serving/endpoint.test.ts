import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { callers, hostEndpoint, INITIALIZE, openSession, post } from '../fixtures/endpoint-host.ts'
import { hostFetch } from '../fixtures/http-host.ts'
import { eventually } from '../fixtures/processes.ts'
import { createSampleServer } from '../fixtures/sample-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createMcpEndpoint, type EndpointOptions } from './endpoint.ts'
import type { Caller, ServerFactory, ServingContext } from './factory.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(options: Partial<EndpointOptions> = {}, factory?: ServerFactory) {
  const hosted = await hostEndpoint(options, factory)
  cleanups.push(hosted.close)
  return hosted
}

async function connect(url: string, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  cleanups.push(() => client.close())
  return client
}

describe('both eras on one URL', () => {
  test.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('the official client in mode %s speaks %s', async (mode, version) => {
    const eras: string[] = []
    const { url } = await host({}, ({ era }) => {
      eras.push(era)
      return createSampleServer()
    })
    const client = await connect(url, mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    const result = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
    expect(result.structuredContent).toEqual({ sum: 42 })
    const progress: number[] = []
    await client.callTool(
      { name: 'wait', arguments: { steps: 2 } },
      { onprogress: (step) => void progress.push(step.progress) },
    )
    expect(progress).toEqual([1, 2])
    expect(new Set(eras)).toEqual(new Set([mode === 'auto' ? 'modern' : 'legacy']))
    // A session has one server object; without sessions each request has its own.
    expect(eras.length === 1).toBe(mode === 'legacy')
  })

  test('clients of both eras are told of changes', async () => {
    const { url, endpoint } = await host()
    const told: string[] = []
    for (const mode of ['auto', 'legacy'] as const) {
      const client = await connect(url, mode)
      client.setNotificationHandler('notifications/tools/list_changed', () => void told.push(mode))
      client.setNotificationHandler('notifications/prompts/list_changed', () => void told.push(mode))
      client.setNotificationHandler('notifications/resources/list_changed', () => void told.push(mode))
      client.setNotificationHandler('notifications/resources/updated', () => void told.push(mode))
      if (mode === 'auto') {
        const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
        await client.listen({ ...filter, resourceSubscriptions: ['memo://one'] })
      }
    }
    await eventually('the change has reached both', () => {
      endpoint.notify.toolsChanged()
      return told.includes('auto') && told.includes('legacy')
    })
    told.length = 0
    endpoint.notify.promptsChanged()
    endpoint.notify.resourcesChanged()
    endpoint.notify.resourceUpdated('memo://one')
    await eventually('all changes have come', () => told.filter((mode) => mode === 'auto').length >= 3)
    expect(told.filter((mode) => mode === 'legacy').length).toBeGreaterThanOrEqual(2)
  })

  test.each(['auto', 'legacy'] as const)(
    'a client in mode %s is told of the resources it subscribed, and of no others',
    async (mode) => {
      const { url, endpoint } = await host({}, () => {
        const server = createSampleServer()
        server.server.setRequestHandler('resources/subscribe', ({ params }) => {
          if (params.uri === 'memo://secret') throw new Error('there is no such resource')
          return {}
        })
        return server
      })
      const client = await connect(url, mode)
      const told: string[] = []
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void told.push(params.uri),
      )
      const subscribe = async (uri: string) =>
        mode === 'auto' ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri })
      await subscribe('memo://one')
      if (mode === 'legacy') {
        await expect(subscribe('memo://secret')).rejects.toThrow('no such resource')
        await subscribe('memo://gone')
        await client.unsubscribeResource({ uri: 'memo://gone' })
      }
      await eventually('the update has come', () => {
        endpoint.notify.resourceUpdated('memo://secret')
        endpoint.notify.resourceUpdated('memo://gone')
        endpoint.notify.resourceUpdated('memo://one')
        return told.length > 0
      })
      expect(new Set(told)).toEqual(new Set(['memo://one']))
    },
  )

  test('the factory knows the caller, in both eras', async () => {
    const seen: ServingContext<Caller>[] = []
    const { url } = await host({}, (context) => {
      seen.push(context)
      return createSampleServer()
    })
    await openSession(url, 'ada')
    const headers = { 'x-caller': 'bob', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
    expect((await post(url, body, headers)).status).toBe(200)
    expect(seen).toEqual([
      { era: 'legacy', principal: callers.ada },
      { era: 'modern', principal: callers.bob },
    ])
  })
})

describe('REFUSALS are JSON-RPC errors', () => {
  const { params } = INITIALIZE
  test.each<[string, unknown, Record<string, string>, number, number, unknown]>([
    ['no JSON', '{', {}, 400, -32700, null],
    ['an empty body', '', {}, 400, -32700, null],
    ['null', 'null', {}, 400, -32600, null],
    ['a number', '7', {}, 400, -32600, null],
    ['an empty batch', '[]', {}, 400, -32600, null],
    ['a body that is nested too deeply', `${'['.repeat(400)}${']'.repeat(400)}`, {}, 400, -32600, null],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32000, null],
    ['a body that is too long', { pad: 'x'.repeat(2000) }, {}, 413, -32000, null],
    ['a request without a session', { jsonrpc: '2.0', id: 5, method: 'tools/list' }, {}, 400, -32000, 5],
    ['initialize without params', { ...INITIALIZE, params: undefined }, {}, 200, -32602, 1],
    ['initialize with a list as params', { ...INITIALIZE, params: [] }, {}, 200, -32602, 1],
    [
      'initialize without a version',
      { ...INITIALIZE, params: { ...params, protocolVersion: 7 } },
      {},
      200,
      -32602,
      1,
    ],
    [
      'initialize without a name',
      { ...INITIALIZE, id: 'a', params: { ...params, clientInfo: {} } },
      {},
      200,
      -32602,
      'a',
    ],
    ['an unknown session', INITIALIZE, { 'mcp-session-id': '../../etc/passwd' }, 404, -32001, 1],
    [
      'a modern header without its envelope',
      INITIALIZE,
      { 'mcp-protocol-version': '2026-07-28' },
      400,
      -32020,
      1,
    ],
  ])('%s', async (_name, body, headers, status, code, id) => {
    const { url, endpoint } = await host({ maxBodyBytes: 1000 })
    const response = await post(url, body, headers)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id,
      error: { code, message: expect.any(String) },
    })
    expect(response.status).toBe(status)
    expect(endpoint.sessionCount()).toBe(0)
  })

  test.each([
    ['PUT', 405],
    ['PATCH', 405],
    ['GET', 400],
    ['DELETE', 400],
  ])('%s without a session is %i', async (method, status) => {
    const { url } = await host()
    const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
  })
})

test('a body that was read before is taken as given', async () => {
  const endpoint = createMcpEndpoint(createSampleServer, { logger: createSilentLogger() })
  const http = await hostFetch(async (request) =>
    endpoint.fetch(request, { parsedBody: await request.json() }),
  )
  cleanups.push(http.close, endpoint.close)
  expect(await openSession(http.url)).not.toBe('')
})

test('streams carry keep-alive comments', async () => {
  const { url } = await host({ keepAliveMs: 10 })
  const headers = { accept: 'text/event-stream', 'mcp-session-id': await openSession(url) }
  const response = await fetch(url, { headers })
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value)).toBe(': keepalive\n\n')
  await reader?.cancel()
})

test('closing ends every stream of either era, and what comes later is refused', async () => {
  const { url, endpoint } = await host()
  const modern = await connect(url, 'auto')
  const subscription = await modern.listen({ toolsListChanged: true })
  const headers = { accept: 'text/event-stream', 'mcp-session-id': await openSession(url) }
  const stream = await fetch(url, { headers })
  await Promise.all([endpoint.close(), endpoint.close()])
  expect(await stream.text()).toBe('')
  expect(await subscription.closed).toBe('graceful')
  expect(endpoint.sessionCount()).toBe(0)
  const response = await post(url, INITIALIZE)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining('shutting down') },
  })
})
