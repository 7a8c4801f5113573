import { InMemoryTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type HttpHost, hostFetch } from '../fixtures/http-host.ts'
import { hostOldSse } from '../fixtures/old-sse-host.ts'
import { eventually } from '../fixtures/processes.ts'
import { createSampleServer } from '../fixtures/sample-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createWatchedConnections } from '../fixtures/watched-connections.ts'
import { createMcpEndpoint, type McpEndpoint } from '../serving/endpoint.ts'
import type { Caller, ServerFactory } from '../serving/factory.ts'
import type { Target } from './target.ts'

const { open: openWatched, openReady: open, closeAll } = createWatchedConnections()
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await closeAll()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const logger = createSilentLogger()

/** An endpoint on a real port, restricted to one era by hiding the other from it. */
async function host(era: 'modern' | 'legacy', factory: ServerFactory = createSampleServer, port = 0) {
  const endpoint: McpEndpoint<Caller> = createMcpEndpoint(factory, { logger })
  const requests: Request[] = []
  const http: HttpHost = await hostFetch(async (request) => {
    requests.push(request)
    const isModern = request.headers.has('mcp-method')
    if (era === 'legacy' && isModern) return new Response('what is this?', { status: 400 })
    return endpoint.fetch(request)
  }, port)
  const close = async () => {
    await endpoint.close()
    await http.close()
  }
  cleanups.push(close)
  return { endpoint, http, requests, close }
}

describe.each(['modern', 'legacy'] as const)('a %s remote', (era) => {
  test('is listed, called, asked and followed', async () => {
    const { endpoint, http, requests } = await host(era)
    const target: Target = { type: 'http', url: http.url, headers: { authorization: 'Bearer test' } }
    const { connection, events } = await open(target, {
      handlers: { elicitation: async () => ({ action: 'decline' }) },
    })
    expect(connection.status()).toMatchObject({ era, server: { name: 'sample' }, pid: null })
    expect(connection.catalog().tools.map(({ name }) => name)).toContain('add')
    expect(await connection.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    expect(await connection.callTool('ask-user', {})).toMatchObject({ content: [{ text: 'decline: null' }] })
    expect(requests.every((request) => request.headers.get('authorization') === 'Bearer test')).toBe(true)

    const progress: number[] = []
    await connection.callTool('wait', { steps: 2 }, { onProgress: (step) => progress.push(step.progress) })
    expect(progress).toEqual([1, 2])

    // The list that is read again is the same, so nothing is told.
    const known = { requests: requests.length, events: events.length }
    endpoint.notify.toolsChanged()
    await eventually('the tools have been read again', () => requests.length > known.requests)
    await connection.ping()
    expect(events).toHaveLength(known.events)
  })

  test('hears of an abort and of a deadline', async () => {
    const aborted: string[] = []
    const { http } = await host(era, () => {
      const server = createSampleServer()
      server.registerTool('hang', {}, ({ mcpReq }) => {
        mcpReq.signal.addEventListener('abort', () => aborted.push('aborted'))
        return new Promise(() => undefined)
      })
      return server
    })
    const { connection } = await open({ type: 'http', url: http.url })
    const abort = new AbortController()
    const call = connection.callTool('hang', {}, { signal: abort.signal })
    setImmediate(() => abort.abort(new Error('enough')))
    await expect(call).rejects.toMatchObject({ fault: 'aborted', cause: { message: 'enough' } })
    await expect(connection.callTool('hang', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      fault: 'timeout',
    })
    await eventually('the server has heard at least of the deadline', () => aborted.length > 0)
  })

  test('that goes away fails the call in flight at once, and is found again', async () => {
    const first = await host(era, () => {
      const server = createSampleServer()
      server.registerTool('hang', {}, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken ?? 0
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
        return new Promise(() => undefined)
      })
      return server
    })
    const { connection } = await open({ type: 'http', url: first.http.url })
    const call = connection.callTool('hang', {}, { onProgress: () => void first.http.close() })
    await expect(call).rejects.toMatchObject({ fault: 'lost' })
    await eventually('the loss is seen', () => connection.status().state !== 'ready')
    await expect(connection.callTool('add', { a: 1, b: 1 })).rejects.toMatchObject({ fault: 'not-ready' })
    await host(era, createSampleServer, first.http.port)
    const sum = await connection.callTool('add', { a: 1, b: 1 }, { waitMs: 10_000 })
    expect(sum).toMatchObject({ structuredContent: { sum: 2 } })
  })
})

test.each(['modern', 'legacy'] as const)(
  'an answer that a %s remote breaks off fails that call alone, at once',
  async (era) => {
    const { endpoint } = await host(era)
    const http = await hostFetch(async (request) => {
      const isModern = request.headers.has('mcp-method')
      if (era === 'legacy' && isModern) return new Response('what is this?', { status: 400 })
      const body: unknown = request.method === 'POST' ? await request.clone().json() : undefined
      if (!JSON.stringify(body ?? {}).includes('tools/call')) return endpoint.fetch(request)
      return new Response(': bye\n\n', { headers: { 'content-type': 'text/event-stream' } })
    })
    cleanups.push(() => http.close())
    const { connection } = await open({ type: 'http', url: http.url })
    await expect(connection.callTool('add', { a: 1, b: 1 })).rejects.toMatchObject({
      fault: 'lost',
      message: expect.stringContaining('the stream ended before the answer'),
    })
    expect(connection.status().state).toBe('ready')
  },
)

test('a remote that forgot the session gets a new one, and the refused call is made again, once', async () => {
  const calls: string[] = []
  const factory = () => {
    const server = createSampleServer()
    server.registerTool('count', {}, () => {
      calls.push('called')
      return { content: [] }
    })
    return server
  }
  let endpoint = createMcpEndpoint(factory, { logger })
  const http = await hostFetch((request) => endpoint.fetch(request))
  cleanups.push(async () => {
    await endpoint.close()
    await http.close()
  })
  const { connection, events } = await open({ type: 'http', url: http.url }, { knownEra: 'legacy' })
  await endpoint.close()
  endpoint = createMcpEndpoint(factory, { logger })
  await connection.callTool('count', {})
  expect(calls).toEqual(['called'])
  expect(endpoint.sessionCount()).toBe(1)
  expect(events.flatMap((event) => (event.type === 'state' ? [event.state] : []))).toEqual([
    'ready',
    'backoff',
    'connecting',
    'ready',
  ])
})

test('resources of a modern remote are subscribed, again after a restart, and let go', async () => {
  const first = await host('modern')
  const { connection, events } = await open({ type: 'http', url: first.http.url })
  const updates = () => events.filter(({ type }) => type === 'resource').length
  const unsubscribe = await connection.subscribeResource('memo://one')
  await eventually('an update has come', () => {
    first.endpoint.notify.resourceUpdated('memo://one')
    return updates() > 0
  })
  await first.close()
  const second = await host('modern', createSampleServer, first.http.port)
  await connection.whenReady(10_000)
  const before = updates()
  await eventually('an update has come from the new server', () => {
    second.endpoint.notify.resourceUpdated('memo://one')
    return updates() > before
  })
  unsubscribe()
})

test('arguments that a tool wants in headers are sent there, and a tool that wants it wrongly is left out', async () => {
  const { http, requests } = await host('modern', () => {
    const server = createSampleServer()
    const wants = (name: string) => z.object({ region: z.string().meta({ 'x-mcp-header': name }) })
    server.registerTool('near', { inputSchema: wants('Region') }, ({ region }) => ({
      content: [{ type: 'text', text: region }],
    }))
    server.registerTool('wrong', { inputSchema: wants('no header name') }, () => ({ content: [] }))
    return server
  })
  const { connection } = await open({ type: 'http', url: http.url })
  const names = connection.catalog().tools.map(({ name }) => name)
  expect(names).toContain('near')
  expect(names).not.toContain('wrong')
  expect(await connection.callTool('near', { region: 'north' })).toMatchObject({
    content: [{ text: 'north' }],
  })
  expect(requests.map((request) => request.headers.get('mcp-param-region'))).toContain('north')
})

test('a session is ended at the server when we close', async () => {
  const { endpoint, http } = await host('legacy')
  const { connection } = await open({ type: 'http', url: http.url })
  expect(endpoint.sessionCount()).toBe(1)
  await connection.close()
  expect(endpoint.sessionCount()).toBe(0)
})

test('a remote that is silent is noticed by the check', async () => {
  const { http, endpoint } = await host('legacy')
  let silent = false
  const { connection } = await open(
    { type: 'http', url: http.url },
    {
      timeouts: { checkMs: 50, requestMs: 200 },
      fetch: (url, init) => (silent ? new Promise(() => undefined) : fetch(url, init)),
    },
  )
  expect(endpoint.sessionCount()).toBe(1)
  silent = true
  await eventually('the loss is seen', () => connection.status().state !== 'ready')
})

test.each([
  ['401', () => new Response('no', { status: 401 }), '401'],
  ['500', () => new Response('no', { status: 500 }), '500'],
  ['a web page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'text/html'],
  ['a redirect to elsewhere', () => Response.redirect('http://127.0.0.1:9/'), 'redirect'],
])('a remote that answers with %s is named as such', async (_name, answer, sentence) => {
  const http = await hostFetch(answer)
  cleanups.push(() => http.close())
  const { connection } = openWatched({ type: 'http', url: http.url }, { maxReconnects: 0 })
  await expect(connection.whenReady(10_000)).rejects.toThrow(sentence)
})

test('an answer without end is cut', async () => {
  const { http } = await host('modern', () => {
    const server = createSampleServer()
    server.registerTool('bomb', {}, () => ({ content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] }))
    return server
  })
  const { connection } = await open({ type: 'http', url: http.url }, { maxMessageBytes: 1_000_000 })
  await expect(connection.callTool('bomb', {})).rejects.toThrow('longer than the 1000000 bytes')
  expect(await connection.callTool('add', { a: 1, b: 1 }, { waitMs: 10_000 })).toMatchObject({
    structuredContent: { sum: 2 },
  })
})

test('a server of 2024 over SSE is called, and found again after a restart', async () => {
  const first = await hostOldSse(createSampleServer)
  const { connection } = await open({ type: 'sse', url: first.url })
  expect(connection.status()).toMatchObject({ era: 'legacy', server: { name: 'sample' } })
  expect(await connection.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
  const call = connection.callTool('wait', { steps: 1000 }, { onProgress: () => void first.close() })
  await expect(call).rejects.toMatchObject({ fault: 'lost' })
  const second = await hostOldSse(createSampleServer, first.port)
  cleanups.push(() => second.close())
  expect(await connection.callTool('add', { a: 1, b: 1 }, { waitMs: 10_000 })).toMatchObject({
    structuredContent: { sum: 2 },
  })
})

test('an event stream that never begins is given up in time', async () => {
  const http = await hostFetch(() => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(': hi\n\n')),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  cleanups.push(() => http.close())
  const { connection } = openWatched(
    { type: 'sse', url: http.url },
    { timeouts: { connectMs: 200 }, maxReconnects: 0 },
  )
  await expect(connection.whenReady(10_000)).rejects.toThrow('not ready within 0.2 seconds')
  await connection.close()
})

test('a server in this process needs no socket', async () => {
  const { connection } = await open({
    type: 'custom',
    async open() {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await createSampleServer().connect(theirs)
      return ours
    },
  })
  expect(await connection.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
})
