import { afterEach, describe, expect, test } from 'vitest'
import type { ComposerPrincipal } from '../../access/composer-principal.ts'
import { createHosting, openSession, post, toCall, toInitialize } from '../front-host.fixture.ts'

const { host, closeAll } = createHosting()
afterEach(closeAll)

const LIST = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
const STREAM = { accept: 'text/event-stream' }

describe('initialize', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ])('asked for %s agrees on %s', async (asked, agreed) => {
    const { url, front } = await host()
    const response = await post(url, toInitialize(asked))
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[\w-]{32}$/)
    expect(await response.json()).toMatchObject({
      id: 'init',
      result: {
        protocolVersion: agreed,
        serverInfo: { name: 'test-gateway', version: '1.2.3' },
        instructions: 'For tests.',
      },
    })
    expect(front.sessionCount()).toBe(1)
  })

  test.each([
    ['nothing', {}],
    ['no version', { capabilities: {}, clientInfo: { name: 'a', version: '1' } }],
    [
      'a list of capabilities',
      { protocolVersion: 'x', capabilities: [], clientInfo: { name: 'a', version: '1' } },
    ],
    ['half a name', { protocolVersion: 'x', capabilities: {}, clientInfo: { name: 'a' } }],
  ])('with %s is answered as a JSON-RPC error, and opens no session', async (_what, params) => {
    const { url, front } = await host()
    const response = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } })
    expect(front.sessionCount()).toBe(0)
  })

  test('tells the gateway who the client is, the same for each of its requests', async () => {
    const { url, gateway } = await host()
    const headers = await openSession(url, { capabilities: { roots: {} }, headers: { 'x-caller': 'ada' } })
    await post(url, LIST, headers)
    await post(url, LIST, headers)
    const [first, second] = gateway.requests
    expect(first?.client).toEqual({
      era: 'legacy',
      principal: { subject: 'ada' },
      capabilities: { roots: {} },
      clientInfo: { name: 'raw', version: '1' },
    })
    expect(second?.client).toBe(first?.client)
  })
})

describe('what is refused', () => {
  test.each<[string, unknown, Record<string, string>, number, number]>([
    ['a call without a session', LIST, {}, 400, -32000],
    ['a call in an unknown session', LIST, { 'mcp-session-id': 'nobody' }, 404, -32001],
    ['a notification without a session', { jsonrpc: '2.0', method: 'notifications/x' }, {}, 400, -32000],
    ['an answer without a session', { jsonrpc: '2.0', id: 1, result: {} }, {}, 400, -32000],
    ['no JSON', '{', {}, 400, -32700],
    ['nothing', '', {}, 400, -32700],
    ['null', null, {}, 400, -32600],
    ['an empty batch', [], {}, 400, -32600],
    ['a wrong version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, {}, 400, -32600],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, {}, 400, -32600],
    ['a deep body', `${'['.repeat(500)}${']'.repeat(500)}`, {}, 400, -32600],
    ['an unacceptable initialize', toInitialize(), { accept: 'application/json' }, 406, -32000],
    ['an initialize of the other era', toInitialize(), { 'mcp-protocol-version': '2026-07-28' }, 400, -32020],
    ['another content type', LIST, { 'content-type': 'text/plain' }, 415, -32000],
  ])('%s', async (_what, body, headers, status, code) => {
    const { url, front } = await host()
    const response = await post(url, body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
    expect(front.sessionCount()).toBe(0)
  })

  test.each<[string, unknown, Record<string, string>, number, number]>([
    ['a second initialize', toInitialize(), {}, 400, -32600],
    ['an unknown version', LIST, { 'mcp-protocol-version': '2024-01-01' }, 400, -32000],
    ['a version of the other era', LIST, { 'mcp-protocol-version': '2026-07-28' }, 400, -32602],
    ['an unacceptable call', LIST, STREAM, 406, -32000],
    ['a batch', [LIST], {}, 400, -32600],
  ])('%s in a session', async (_what, body, headers, status, code) => {
    const { url } = await host()
    const session = await openSession(url)
    const response = await post(url, body, { ...session, ...headers })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
    expect((await post(url, LIST, session)).status).toBe(200)
  })

  test.each([
    ['GET', STREAM, 400],
    ['DELETE', {}, 400],
    ['GET', { ...STREAM, 'mcp-session-id': 'nobody' }, 404],
    ['DELETE', { 'mcp-session-id': 'nobody' }, 404],
    ['PUT', {}, 405],
    ['PATCH', {}, 405],
  ])('%s with %o is %i', async (method, headers, status) => {
    const { url } = await host()
    const response = await fetch(url, { method, headers })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: expect.any(Number) },
    })
  })

  test('a body that is too long', async () => {
    const { url } = await host({ maxBodyBytes: 100 })
    const response = await post(url, toInitialize())
    expect(response.status).toBe(413)
  })

  test('methods of the other era', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    for (const method of ['server/discover', 'subscriptions/listen']) {
      const response = await post(url, { jsonrpc: '2.0', id: 1, method }, session)
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } })
    }
    expect(gateway.requests).toHaveLength(0)
  })
})

describe('a session', () => {
  test.each(['bob', 'ada-reader', 'ada-in-a-role', 'nobody'])('of ada is unknown to %s', async (caller) => {
    const { url, gateway, front } = await host()
    const session = await openSession(url, { headers: { 'x-caller': 'ada' } })
    const stranger = { ...session, 'x-caller': caller }
    expect((await post(url, LIST, stranger)).status).toBe(404)
    expect((await fetch(url, { headers: { ...stranger, ...STREAM } })).status).toBe(404)
    expect((await fetch(url, { method: 'DELETE', headers: stranger })).status).toBe(404)
    expect(gateway.requests).toHaveLength(0)
    expect(front.sessionCount()).toBe(1)
    expect((await post(url, LIST, session)).status).toBe(200)
  })

  test('is unknown to a caller that has other roles than it was opened with, even with the same key', async () => {
    const callers: Record<string, ComposerPrincipal> = { ada: { subject: 'ada', roles: ['high', 'low'] } }
    const { url, gateway } = await host({ callers })
    const session = await openSession(url, { headers: { 'x-caller': 'ada' } })
    callers.ada = { subject: 'ada', roles: ['low', 'high'] }
    expect((await post(url, LIST, session)).status).toBe(200)
    callers.ada = { subject: 'ada', roles: ['low'] }
    expect((await post(url, LIST, session)).status).toBe(404)
    expect((await fetch(url, { headers: { ...session, ...STREAM } })).status).toBe(404)
    expect(gateway.requests).toHaveLength(1)
  })

  test('ends with DELETE, and with it what is under way', async () => {
    const { url, gateway, front } = await host()
    const session = await openSession(url)
    const waiting = post(url, toCall(1, 'wait'), session)
    await expect.poll(() => gateway.requests.length).toBe(1)
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(200)
    const response = await waiting
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32001 } })
    expect(gateway.requests[0]?.signal.aborted).toBe(true)
    expect((await post(url, LIST, session)).status).toBe(404)
    expect(front.sessionCount()).toBe(0)
  })

  test('is one of so many, and a caller has so many', async () => {
    const { url } = await host({ maxSessions: 3, maxSessionsPerCaller: 2 })
    const ada = { 'x-caller': 'ada' }
    await openSession(url, { headers: ada })
    await openSession(url, { headers: ada })
    const third = await post(url, toInitialize(), ada)
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '60'])
    await openSession(url, { headers: { 'x-caller': 'bob' } })
    const fourth = await post(url, toInitialize(), { 'x-caller': 'bob' })
    expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([503, '60'])
  })

  test('that nobody uses makes room, one in use does not', async () => {
    let now = 0
    const { url, gateway } = await host({ maxSessions: 2, sessionIdleMs: 1000, now: () => now })
    const idle = await openSession(url)
    const busy = await openSession(url)
    const waiting = post(url, toCall(1, 'wait'), busy)
    await expect.poll(() => gateway.requests.length).toBe(1)
    now = 1000
    await openSession(url)
    expect((await post(url, LIST, idle)).status).toBe(404)
    gateway.release()
    expect((await waiting).status).toBe(200)
  })

  test('ends with the credential that opened it', async () => {
    const revocation = new AbortController()
    const callers = { ada: { subject: 'ada', revoked: revocation.signal } }
    const { url, front } = await host({ callers })
    const session = await openSession(url, { headers: { 'x-caller': 'ada' } })
    const stream = await fetch(url, { headers: { ...session, ...STREAM } })
    revocation.abort()
    expect(await stream.text()).toBe('')
    expect(front.sessionCount()).toBe(0)
  })

  test('keeps its subscriptions, within bounds, and lets go of them in the end', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const subscribe = async (uri: unknown, method = 'resources/subscribe') =>
      (await post(url, { jsonrpc: '2.0', id: 1, method, params: { uri } }, session)).json()
    expect(await subscribe('a:1')).toMatchObject({ result: {} })
    expect(await subscribe('a:1')).toMatchObject({ result: {} })
    expect(await subscribe('a:2')).toMatchObject({ result: {} })
    expect(await subscribe('deny:1')).toMatchObject({ error: { code: -32602 } })
    expect(await subscribe(7)).toMatchObject({ error: { code: -32602 } })
    expect(gateway.subscribed).toEqual(['a:1', 'a:2'])
    expect(await subscribe('a:1', 'resources/unsubscribe')).toMatchObject({ result: {} })
    expect(gateway.subscribed).toEqual(['a:2'])
    await fetch(url, { method: 'DELETE', headers: session })
    await expect.poll(() => gateway.subscribed).toEqual([])
  })

  test('passes notifications on, and none of its own business', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    for (const method of [
      'notifications/initialized',
      'notifications/cancelled',
      'notifications/roots/list_changed',
    ])
      expect((await post(url, { jsonrpc: '2.0', method }, session)).status).toBe(202)
    expect(gateway.notifications.map(({ method }) => method)).toEqual(['notifications/roots/list_changed'])
  })
})

test('after its end the front refuses, and listens no more', async () => {
  const { url, front, gateway } = await host()
  const session = await openSession(url)
  const stream = await fetch(url, { headers: { ...session, ...STREAM } })
  await front.close()
  expect(await stream.text()).toBe('')
  expect((await post(url, LIST, session)).status).toBe(503)
  expect(gateway.listeners()).toBe(0)
})
