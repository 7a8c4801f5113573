import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { connectTo } from '../fixtures/connect.ts'
import { INITIALIZE, post } from '../fixtures/endpoint-host.ts'
import { FULL, hostInKit, NARROW } from '../fixtures/kit-host.ts'
import { eventually } from '../fixtures/processes.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(...options: Parameters<typeof hostInKit>) {
  const hosted = await hostInKit(...options)
  cleanups.push(hosted.close)
  return hosted
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function connect(url: string, mode: 'auto' | 'legacy', token?: string): Promise<Client> {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: token === undefined ? {} : bearer(token) }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  cleanups.push(() => client.close())
  return client
}

/** The same bytes in pieces, without a Content-Length. */
function postChunked(url: string, body: string): Promise<Response> {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream({
    start(controller) {
      for (let index = 0; index < bytes.length; index += 7) controller.enqueue(bytes.slice(index, index + 7))
      controller.close()
    },
  })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...bearer(FULL),
  }
  return fetch(url, { method: 'POST', headers, body: stream, duplex: 'half' })
}

const sends = [
  ['at once', (url: string, body: string) => post(url, body, bearer(FULL))],
  ['in chunks', postChunked],
] as const

describe.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('the official client in mode %s, behind an app of the kit', (mode, version) => {
  test('lists, calls and is told of changes', async () => {
    const { url, endpoint } = await host()
    const client = await connect(url, mode, FULL)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add')
    const result = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
    expect(result.structuredContent).toEqual({ sum: 42 })
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1
    })
    if (mode === 'auto') await client.listen({ toolsListChanged: true })
    await eventually('the change has come', () => {
      endpoint.notify.toolsChanged()
      return told > 0
    })
  })

  test('needs no token where the app asks for none', async () => {
    const { url } = await host({ asksForTokens: false, mount: { authentication: undefined } })
    const client = await connect(url, mode)
    const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })
    expect(result.structuredContent).toEqual({ sum: 2 })
  })

  test('is refused what its scopes do not cover, and goes on', async () => {
    const { url } = await host()
    const client = await connect(url, mode, NARROW)
    const call = client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })
    await expect(call).rejects.toBeInstanceOf(InsufficientScopeError)
    expect((await client.callTool({ name: 'meta', arguments: {} })).isError).toBeUndefined()
  })

  test('hears the same through our own connection, in the words of the service', async () => {
    const { url } = await host()
    const connection = connectTo(
      { type: 'http', url, headers: bearer(NARROW) },
      mode === 'legacy' ? { knownEra: 'legacy' } : {},
    )
    cleanups.push(() => connection.close())
    await expect(connection.callTool('add', { a: 1, b: 1 }, { waitMs: 10_000 })).rejects.toMatchObject({
      fault: 'refused',
      status: 403,
      message: expect.stringContaining('HTTP status 403: The token lacks the scope calculate.'),
    })
  })
})

describe.each(sends)('a body that comes %s', (_name, send) => {
  test('opens a session', async () => {
    const { url, endpoint } = await host()
    const response = await send(url, JSON.stringify(INITIALIZE))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"serverInfo"')
    expect(endpoint.sessionCount()).toBe(1)
  })

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['blanks', ' \n'],
    ['two values', '{}{}'],
    ['a byte order mark alone', '\uFEFF'],
  ])('with %s in it is answered as JSON-RPC answers it', async (_what, body) => {
    const { url } = await host()
    const response = await send(url, body)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'The body is not valid JSON.' },
    })
    expect(response.status).toBe(400)
  })

  test.each([
    ['null', 'null', -32600],
    ['an empty batch', '[]', -32600],
    ['a call without a session', '{"jsonrpc":"2.0","id":5,"method":"tools/list"}', -32000],
  ])('with %s in it is refused by the endpoint', async (_what, body, code) => {
    const { url } = await host()
    const response = await send(url, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code } })
  })

  test.each([
    ['is too long', JSON.stringify({ pad: 'x'.repeat(10_000) }), 413, expect.stringContaining('body_')],
    ['is nested too deeply', `${'['.repeat(100)}${']'.repeat(100)}`, 400, expect.stringContaining('body_')],
  ])('that %s is refused by the app', async (_what, body, status, reason) => {
    const { url } = await host()
    const response = await send(url, body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ reason })
  })
})

describe('scopes', () => {
  const call = (name: string, id?: number) => ({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    method: 'tools/call',
    params: { name, arguments: { a: 1, b: 1 } },
  })

  test.each([
    ['a call', call('add', 1)],
    ['a call without an id', call('add')],
    ['a batch that hides it', [{ jsonrpc: '2.0', id: 1, method: 'ping' }, call('meta', 2), call('add', 3)]],
  ])('are looked at before %s', async (_name, body) => {
    const { url } = await host()
    const opened = await post(url, INITIALIZE, bearer(NARROW))
    await opened.text()
    const headers = { ...bearer(NARROW), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const response = await post(url, body, headers)
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="sample", error="insufficient_scope", error_description="The token lacks the scope calculate.", scope="read calculate"',
    )
    expect(await response.json()).toEqual({ detail: 'The token lacks the scope calculate.', reason: 'scope' })
  })

  test('are not asked for what is no message', async () => {
    const { url } = await host()
    const opened = await post(url, INITIALIZE, bearer(NARROW))
    await opened.text()
    const headers = { ...bearer(NARROW), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const response = await post(url, [[call('add', 1)], 7, null], headers)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32600 } })
  })

  test('are looked at even if the mount was not told of the tokens', async () => {
    const { url } = await host({ mount: { authentication: undefined } })
    expect((await post(url, call('add', 1), bearer(NARROW))).status).toBe(403)
  })
})

test.each([
  ['POST', {}, 401],
  ['GET', {}, 401],
  ['DELETE', {}, 401],
  ['GET', bearer(FULL), 400],
  ['DELETE', bearer(FULL), 400],
  ['PUT', bearer(FULL), 405],
  ['PATCH', bearer(FULL), 405],
  ['HEAD', bearer(FULL), 405],
])('%s with %o is %i', async (method, headers, status) => {
  const { url } = await host()
  const response = await fetch(url, { method, headers: { ...headers, accept: 'text/event-stream' } })
  expect(response.status).toBe(status)
  await response.text()
})

test('a token that is revoked takes its session along', async () => {
  const { url, endpoint, revokeAll } = await host()
  const opened = await post(url, INITIALIZE, bearer(FULL))
  await opened.text()
  const headers = { ...bearer(FULL), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })
  revokeAll()
  expect(await stream.text()).toBe('')
  await eventually('the session is gone', () => endpoint.sessionCount() === 0)
  expect((await fetch(url, { headers })).status).toBe(401)
})
