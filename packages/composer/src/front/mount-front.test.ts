import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createApp } from '@quire/kit/app/create-app'
import { createShortWay } from '@quire/kit/app/short-way'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import type { Problem } from '@quire/kit/errors'
import { serve } from '@quire/kit/serve/serve'
import { verifies } from '@quire/spec/verifies'
import { runInspector } from '@quire/testbed/foreign-clients'
import { afterEach, describe, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { openSession, post, toCall, toInitialize, toModern } from './front-host.fixture.ts'
import type { IncomingMessage } from './front-options.ts'
import { createTestGateway } from './gateway.fixture.ts'
import { createHttpFront } from './http-front.ts'
import { mountFront, shortRouteTo } from './mount-front.ts'

const FULL = 'full-access-0123456789abcdef'
const NARROW = 'narrow-access-0123456789abcd'

type Way = 'the short way' | 'through the app'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A service as they are: an app of the kit on a real port. */
async function hostBy(way: Way, { asksForTokens = true } = {}) {
  const ring = createKeyRing([
    { hash: hashToken(FULL), subject: 'full' },
    { hash: hashToken(NARROW), subject: 'narrow', scopes: ['tools:list'] },
  ])
  const authentication = { realm: 'composer', verify: ring.verify }
  const logger = createSilentLogger()
  const gateway = createTestGateway()
  const front = createHttpFront(gateway, { logger })
  const options = {
    errorBody: ({ detail, reason }: Problem) => ({ detail, reason }),
    guards: {},
    maxBodyBytes: 10_000,
    logger,
    ...(asksForTokens && { authentication }),
  }
  const app = createApp(options)
  const scopeFor = ({ method }: IncomingMessage) => (method === 'tools/call' ? ['tools:invoke'] : [])
  mountFront(app, '/mcp', () => front, {
    authentication: asksForTokens ? authentication : undefined,
    scopeFor,
  })
  const shortWay = createShortWay(options, shortRouteTo(front, { path: '/mcp', prefix: '', scopeFor }))
  const listening = await serve({
    fetch: app.fetch,
    shortWay: way === 'the short way' ? shortWay : undefined,
    host: '127.0.0.1',
    port: 0,
  })
  cleanups.push(async () => {
    await front.close()
    await listening.close(10)
  })
  return { gateway, front, url: `${listening.url}/mcp`, revokeAll: () => ring.replace([]) }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function connect(url: string, mode: 'auto' | 'legacy', token?: string): Promise<Client> {
  const options = { versionNegotiation: { mode }, capabilities: { sampling: {} } }
  const client = new Client({ name: 'official', version: '1' }, options)
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'because' },
  }))
  const requestInit = { headers: token === undefined ? {} : bearer(token) }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  cleanups.push(() => client.close())
  return client
}

describe.each<Way>(['the short way', 'through the app'])('%s:', (way) => {
  const host = (options?: { asksForTokens?: boolean }) => hostBy(way, options)

  describe.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('the official client in mode %s', (mode, version) => {
    test('lists, calls, hears progress, cancels and is told of changes', async () => {
      verifies('CO-MCP-1')
      const { url, gateway } = await host()
      const client = await connect(url, mode, FULL)
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
      const result = await client.callTool({ name: 'echo', arguments: { a: 1 } })
      expect(result.content).toEqual([{ type: 'text', text: '{"a":1}' }])
      const progress: number[] = []
      await client.callTool(
        { name: 'progress', arguments: {} },
        { onprogress: ({ progress: value }) => void (progress.push(value) === 1 && gateway.release()) },
      )
      expect(progress).toEqual([1, 2])
      const cancel = new AbortController()
      const call = client.callTool({ name: 'wait', arguments: {} }, { signal: cancel.signal })
      await expect.poll(() => gateway.requests.at(-1)?.params.name).toBe('wait')
      cancel.abort()
      await expect(call).rejects.toThrow()
      await expect.poll(() => gateway.requests.at(-1)?.signal.aborted).toBe(true)
      let told = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        told += 1
      })
      if (mode === 'auto') await client.listen({ toolsListChanged: true })
      await expect
        .poll(() => {
          gateway.change({ type: 'tools' })
          return told
        })
        .toBeGreaterThan(0)
    })

    test('is refused what its scopes do not cover, and goes on', async () => {
      const { url, gateway } = await host()
      const client = await connect(url, mode, NARROW)
      await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toBeInstanceOf(
        InsufficientScopeError,
      )
      expect((await client.listTools()).tools.length).toBeGreaterThan(0)
      expect(gateway.requests.map(({ method }) => method)).not.toContain('tools/call')
    })

    test('needs no token where the app asks for none', async () => {
      const { url } = await host({ asksForTokens: false })
      const client = await connect(url, mode)
      expect((await client.callTool({ name: 'echo', arguments: {} })).isError).toBeUndefined()
    })
  })

  test('the official client answers questions in a session', async () => {
    const { url } = await host()
    const client = await connect(url, 'legacy', FULL)
    expect(JSON.stringify(await client.callTool({ name: 'ask', arguments: {} }))).toContain('because')
  })

  test.each(['legacy', 'modern'])('the Inspector calls a tool, %s', async (era) => {
    const { url } = await host()
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'a=2', '--protocol-era', era]
    const { code, json, stderr } = await runInspector({ url, headers: bearer(FULL) }, call)
    expect({ code, json, stderr }).toMatchObject({ code: 0, json: { content: [{ text: '{"a":2}' }] } })
  })

  describe('scopes', () => {
    test.each([
      ['a call', toCall(1, 'echo')],
      ['a call without an id', { jsonrpc: '2.0', method: 'tools/call' }],
      ['a batch that hides it', [{ jsonrpc: '2.0', id: 1, method: 'ping' }, toCall(2, 'echo')]],
    ])('are looked at before %s', async (_what, body) => {
      const { url, gateway } = await host()
      const session = await openSession(url, { version: '2025-03-26', headers: bearer(NARROW) })
      const response = await post(url, body, session)
      expect(response.status).toBe(403)
      expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
      expect(await response.json()).toEqual({
        detail: 'The token lacks the scope tools:invoke.',
        reason: 'scope',
      })
      expect(gateway.requests).toHaveLength(0)
    })

    test('are not asked for what is no message', async () => {
      const { url } = await host()
      const session = await openSession(url, { version: '2025-03-26', headers: bearer(NARROW) })
      const response = await post(url, [[toCall(1, 'echo')], 7, null], session)
      expect(response.status).toBe(400)
    })
  })

  test.each([
    ['POST', {}, 401],
    ['GET', {}, 401],
    ['DELETE', {}, 401],
    ['GET', bearer(FULL), 400],
    ['DELETE', bearer(FULL), 400],
    ['PUT', bearer(FULL), 405],
    ['HEAD', bearer(FULL), 405],
  ])('%s with %o is %i', async (method, headers, status) => {
    const { url } = await host()
    const response = await fetch(url, { method, headers: { ...headers, accept: 'text/event-stream' } })
    expect(response.status).toBe(status)
    await response.text()
  })

  test.each([
    ['no JSON', '{', 400, -32700],
    ['two values', '{}{}', 400, -32700],
    ['null', 'null', 400, -32600],
  ])('a body with %s is answered as JSON-RPC answers it', async (_what, body, status, code) => {
    const { url } = await host()
    const response = await post(url, body, bearer(FULL))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } })
  })

  test('headers that mirror arguments reach the gateway', async () => {
    const { url, gateway } = await host()
    const { body, headers } = toModern(1, 'tools/call', { name: 'echo' })
    await post(url, body, { ...headers, ...bearer(FULL), 'Mcp-Param-Region': 'eu' })
    expect(gateway.requests[0]?.paramHeaders).toEqual({ 'mcp-param-region': 'eu' })
  })

  test('a token that is revoked takes its session along', async () => {
    const { url, front, revokeAll } = await host()
    const opened = await post(url, toInitialize(), bearer(FULL))
    const headers = { ...bearer(FULL), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })
    revokeAll()
    expect(await stream.text()).toBe('')
    await expect.poll(front.sessionCount).toBe(0)
    expect((await fetch(url, { headers })).status).toBe(401)
  })
})
