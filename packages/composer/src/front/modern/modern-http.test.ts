import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test } from 'vitest'
import { createSilentLogger } from '../../fixtures/silent-logger.ts'
import { createHosting, ENVELOPE, MODERN, post, toModern } from '../front-host.fixture.ts'
import { createTestGateway } from '../gateway.fixture.ts'
import { createHttpFront } from '../http-front.ts'
import { readEvents } from '../sse-reader.fixture.ts'

const { host, closeAll, cleanups } = createHosting()
afterEach(closeAll)

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LEVEL = 'io.modelcontextprotocol/logLevel'
const textOf = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } })
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

function ask(url: string, { body, headers }: ReturnType<typeof toModern>, more = {}, signal?: AbortSignal) {
  return post(url, body, { ...headers, ...more }, signal)
}

const echo = toModern(1, 'tools/call', { name: 'echo', arguments: {} })
const list = toModern(1, 'tools/list')
const { [CAPABILITIES]: _capabilities, ...halfEnvelope } = ENVELOPE
const withMeta = (_meta: unknown) => ({ ...list.body, params: { _meta } })

describe('the ladder is that of the SDK', () => {
  const sdk = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } })
      server.registerTool('echo', {}, () => ({ content: [] }))
      return server
    },
    { legacy: 'reject' },
  )

  const { 'mcp-name': _name, ...nameless } = echo.headers
  const { 'mcp-method': _method, ...methodless } = list.headers
  const { 'mcp-protocol-version': _version, ...versionless } = list.headers

  test.each<[string, unknown, Record<string, string>, number, number | undefined]>([
    ['a fit request', list.body, list.headers, 200, undefined],
    ['a fit call', echo.body, echo.headers, 200, undefined],
    ['no method in the headers', list.body, methodless, 400, -32020],
    ['no version in the headers', list.body, versionless, 400, -32020],
    ['no name in the headers', echo.body, nameless, 400, -32020],
    ['nothing in the headers', echo.body, {}, 400, -32020],
    ['another method', list.body, { ...list.headers, 'mcp-method': 'tools/call' }, 400, -32020],
    ['another case', list.body, { ...list.headers, 'mcp-method': 'TOOLS/LIST' }, 400, -32020],
    ['another name', echo.body, { ...echo.headers, 'mcp-name': 'other' }, 400, -32020],
    ['another version', list.body, { ...list.headers, 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['spaces around', list.body, { ...list.headers, 'mcp-method': '  tools/list ' }, 200, undefined],
    ['a name in base64', echo.body, { ...echo.headers, 'mcp-name': base64('echo') }, 200, undefined],
    ['another in base64', echo.body, { ...echo.headers, 'mcp-name': base64('ëcho') }, 400, -32020],
    ['broken base64', echo.body, { ...echo.headers, 'mcp-name': '=?base64?%%%?=' }, 400, -32020],
    ['loose base64', echo.body, { ...echo.headers, 'mcp-name': '=?base64?ZWNobw?=' }, 400, -32020],
    ['broken UTF-8', echo.body, { ...echo.headers, 'mcp-name': '=?base64?/w==?=' }, 400, -32020],
    ['no envelope', { ...list.body, params: {} }, list.headers, 400, -32602],
    ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, list.headers, 400, -32602],
    ['half an envelope', withMeta(halfEnvelope), list.headers, 400, -32602],
    ['a wrong envelope', withMeta({ ...ENVELOPE, [CAPABILITIES]: [] }), list.headers, 400, -32602],
    ['a wrong level', withMeta({ ...ENVELOPE, [LEVEL]: 'loud' }), list.headers, 400, -32602],
    [
      'an unknown version',
      withMeta({ ...ENVELOPE, [VERSION]: '2099-01-01' }),
      { ...list.headers, 'mcp-protocol-version': '2099-01-01' },
      400,
      -32022,
    ],
    [
      'an unreadable version',
      withMeta({ ...ENVELOPE, [VERSION]: 'v1' }),
      { ...list.headers, 'mcp-protocol-version': 'v1' },
      400,
      -32022,
    ],
    ['a batch', [list.body], list.headers, 400, -32600],
    ['an empty batch', [], list.headers, 400, -32600],
    ['no message', { jsonrpc: '2.0', id: 1 }, list.headers, 400, -32600],
    ['null', null, list.headers, 400, -32600],
    ...[
      'unknown/method',
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
    ].map((method): [string, unknown, Record<string, string>, number, number] => {
      const { body, headers } = toModern(1, method)
      return [method, body, headers, 404, -32601]
    }),
    ['a notification', { jsonrpc: '2.0', method: 'notifications/x' }, list.headers, 400, -32020],
    [
      'a notification of its own',
      { jsonrpc: '2.0', method: 'notifications/x' },
      { 'mcp-protocol-version': MODERN },
      202,
      undefined,
    ],
  ])('%s', async (_what, body, headers, status, code) => {
    const front = createHttpFront(createTestGateway(), { logger: createSilentLogger() })
    cleanups.push(front.close)
    const toRequest = () =>
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const [ours, theirs] = await Promise.all([front.fetch(toRequest()), sdk.fetch(toRequest())])
    const read = async (response: Response) => {
      const text = await response.text()
      const { id, error } = text === '' ? {} : JSON.parse(text)
      return { status: response.status, id, code: error?.code, data: Object.keys(error?.data ?? {}) }
    }
    const [answer, expected] = [await read(ours), await read(theirs)]
    expect(answer).toMatchObject({ status, code })
    expect(answer).toEqual(expected)
  })
})

describe('an answer', () => {
  test('that is the first thing there is is JSON', async () => {
    const { url, gateway } = await host()
    const response = await ask(url, echo, { 'x-caller': 'ada' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ id: 1, ...textOf('{}') })
    const [request] = gateway.requests
    expect(request?.client).toEqual({
      era: 'modern',
      principal: { subject: 'ada' },
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    expect(request?.ask).toBeUndefined()
  })

  test('comes with the headers that mirror arguments', async () => {
    const { url, gateway } = await host()
    await ask(url, echo, { 'Mcp-Param-Region': 'eu', 'mcp-param-City': 'Bern', 'x-other': 'no' })
    expect(gateway.requests[0]?.paramHeaders).toEqual({ 'mcp-param-region': 'eu', 'mcp-param-city': 'Bern' })
  })

  test('becomes a stream with the first notification, without ids', async () => {
    const { url, gateway } = await host()
    const call = toModern(1, 'tools/call', { name: 'progress' }, { progressToken: 7 })
    const response = await ask(url, call)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const events = readEvents(response)
    const first = await events.next()
    expect(first?.id).toBeUndefined()
    expect(JSON.parse(first?.data ?? '')).toMatchObject({ params: { progressToken: 7, progress: 1 } })
    gateway.release()
    await events.next()
    expect(await events.message()).toMatchObject({ id: 1, ...textOf('progressed') })
    expect(await events.next()).toBeUndefined()
  })

  test('that takes long becomes a stream, which is kept alive', async () => {
    const { url, gateway } = await host({ streamAfterMs: 5, keepAliveMs: 5 })
    const events = readEvents(await ask(url, toModern(1, 'tools/call', { name: 'wait' })))
    const answer = events.message()
    await expect.poll(events.comments).toBeGreaterThan(1)
    gateway.release()
    expect(await answer).toMatchObject({ id: 1, ...textOf('waited') })
  })

  test.each([
    [{}, []],
    [{ [LEVEL]: 'warning' }, ['warning', 'error']],
    [{ [LEVEL]: 'debug' }, ['debug', 'warning', 'error']],
    [{ [LEVEL]: 'alert' }, []],
  ])('with %o hears the log messages %o', async (meta, levels) => {
    const { url } = await host()
    const response = await ask(url, toModern(1, 'tools/call', { name: 'log' }, meta))
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    expect(isStream).toBe(levels.length > 0)
    if (!isStream) return
    const messages = (await readEvents(response).rest()).map(({ data }) => JSON.parse(data ?? ''))
    expect(messages.flatMap(({ params }) => params?.level ?? [])).toEqual(levels)
  })

  test.each([
    ['a missing capability', 'test_missing_capability', 400, -32021],
    ['any other error', 'nothing', 200, -32602],
  ])('with %s', async (_what, name, status, code) => {
    const { url } = await host()
    const response = await ask(url, toModern(9, 'tools/call', { name }))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ id: 9, error: { code } })
  })

  test.each(['wait', 'progress'])('is cancelled when the client leaves (%s)', async (name) => {
    const { url, gateway } = await host()
    const leaving = new AbortController()
    const response = ask(url, toModern(1, 'tools/call', { name }), {}, leaving.signal)
    response.catch(() => undefined) // It is aborted below.
    if (name === 'progress') await readEvents(await response).next()
    else await expect.poll(() => gateway.requests.length).toBe(1)
    leaving.abort()
    await expect.poll(() => gateway.requests[0]?.signal.aborted).toBe(true)
  })

  test('is refused when the front ends', async () => {
    const { url, gateway, front } = await host()
    const response = ask(url, toModern(1, 'tools/call', { name: 'wait' }))
    await expect.poll(() => gateway.requests.length).toBe(1)
    await front.close()
    expect((await response).status).toBe(503)
    expect(gateway.requests[0]?.signal.aborted).toBe(true)
  })

  test('ends with the credential when it is a stream', async () => {
    const revocation = new AbortController()
    const { url, gateway } = await host({ callers: { ada: { subject: 'ada', revoked: revocation.signal } } })
    const events = readEvents(
      await ask(url, toModern(1, 'tools/call', { name: 'progress' }), { 'x-caller': 'ada' }),
    )
    await events.next()
    revocation.abort()
    expect(await events.next()).toBeUndefined()
    expect(gateway.requests[0]?.signal.aborted).toBe(true)
  })
})

test('a notification reaches the gateway', async () => {
  const { url, gateway } = await host()
  const body = { jsonrpc: '2.0', method: 'notifications/custom', params: { a: 1, _meta: ENVELOPE } }
  const response = await post(url, body, { 'mcp-protocol-version': MODERN })
  expect(response.status).toBe(202)
  expect(gateway.notifications).toMatchObject([{ method: 'notifications/custom', params: { a: 1 } }])
})
