import { InsufficientScopeError, type Transport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { hostFetch } from '../fixtures/http-host.ts'
import { hostOldSse } from '../fixtures/old-sse-host.ts'
import { createSampleServer } from '../fixtures/sample-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createWatchedConnections } from '../fixtures/watched-connections.ts'
import { createMcpEndpoint } from '../serving/endpoint.ts'
import type { ConnectionError } from './errors.ts'

const { open, openReady, closeAll } = createWatchedConnections()
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await closeAll()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const LONG_WORD = 'long '.repeat(100)

const REFUSALS: [string, () => Response, Partial<ConnectionError> & { text: string }][] = [
  [
    'a challenge for more scopes',
    () =>
      Response.json(
        { detail: 'The token lacks the scope files:write.' },
        {
          status: 403,
          headers: {
            'www-authenticate': 'Bearer realm="x", error="insufficient_scope", scope="files:write"',
          },
        },
      ),
    { status: 403, text: 'HTTP status 403: The token lacks the scope files:write.' },
  ],
  [
    'a challenge without a body',
    () =>
      new Response(null, {
        status: 403,
        headers: {
          'www-authenticate':
            'Bearer error="insufficient_scope", error_description="Ask for more", scope="a"',
        },
      }),
    { status: 403, text: 'HTTP status 403: Ask for more' },
  ],
  [
    'a demand for a token',
    () =>
      Response.json(
        { error: 'invalid_token', error_description: 'The token has expired.' },
        { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      ),
    { status: 401, text: 'HTTP status 401: The token has expired.' },
  ],
  [
    'too many requests',
    () => Response.json({ message: 'Slow down.' }, { status: 429, headers: { 'retry-after': '7' } }),
    { status: 429, retryAfterSeconds: 7, text: 'HTTP status 429: Slow down.' },
  ],
  [
    'an error of JSON-RPC',
    () =>
      Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Full.' } }, { status: 503 }),
    { status: 503, retryAfterSeconds: undefined, text: 'HTTP status 503: Full.' },
  ],
  [
    'a text that never ends',
    () =>
      new Response(new ReadableStream({ start: (text) => text.enqueue(Buffer.from('busy')) }), {
        status: 503,
      }),
    { status: 503, text: 'HTTP status 503: busy.' },
  ],
  [
    'a wait that is no number',
    () => new Response('closed\n\u0007 today', { status: 503, headers: { 'retry-after': 'soon' } }),
    { status: 503, retryAfterSeconds: undefined, text: 'HTTP status 503: closed today' },
  ],
  [
    'a wait that is over',
    () => new Response('later', { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }),
    { status: 503, retryAfterSeconds: 0, text: 'HTTP status 503: later.' },
  ],
  [
    'a long text',
    () => new Response(LONG_WORD, { status: 500 }),
    { status: 500, text: `HTTP status 500: ${LONG_WORD.slice(0, 200).trim()}.` },
  ],
  ['no text', () => new Response(null, { status: 502 }), { status: 502, text: 'HTTP status 502.' }],
]

async function hostRefusing(era: 'modern' | 'legacy', answer: () => Response) {
  const endpoint = createMcpEndpoint(createSampleServer, { logger: createSilentLogger() })
  const http = await hostFetch(async (request) => {
    const isModern = request.headers.has('mcp-method')
    if (era === 'legacy' && isModern) return new Response('what is this?', { status: 400 })
    const body = request.method === 'POST' ? await request.clone().text() : ''
    return body.includes('"tools/call"') ? answer() : endpoint.fetch(request)
  })
  cleanups.push(http.close, endpoint.close)
  return http.url
}

describe.each(['modern', 'legacy'] as const)('what a %s remote refuses by HTTP', (era) => {
  test.each(REFUSALS)('a call: %s', async (_name, answer, { text, ...facts }) => {
    const { connection } = await openReady({ type: 'http', url: await hostRefusing(era, answer) })
    await expect(connection.callTool('add', { a: 1, b: 1 })).rejects.toMatchObject({
      fault: 'refused',
      message: expect.stringContaining(`refused the call of tool "add" with ${text}`),
      ...facts,
    })
    await connection.ping()
    expect(connection.status().state).toBe('ready')
  })

  test.each(REFUSALS)('the connection: %s', async (_name, answer, { text, ...facts }) => {
    const http = await hostFetch(answer)
    cleanups.push(http.close)
    const { connection } = open(
      { type: 'http', url: http.url },
      { maxReconnects: 0, ...(era === 'legacy' && { knownEra: 'legacy' }) },
    )
    await expect(connection.whenReady(10_000)).rejects.toMatchObject({
      fault: 'not-ready',
      message: expect.stringContaining(text),
      cause: { fault: 'refused', ...facts },
    })
  })
})

test('an old server over SSE may refuse too', async () => {
  const server = await hostOldSse(createSampleServer)
  cleanups.push(server.close)
  const { connection } = await openReady(
    { type: 'sse', url: server.url },
    {
      fetch: async (url, init) =>
        String(init?.body).includes('tools/call')
          ? Response.json({ detail: 'Not you.' }, { status: 403 })
          : fetch(url, init),
    },
  )
  await expect(connection.callTool('add', { a: 1, b: 1 })).rejects.toMatchObject({
    fault: 'refused',
    status: 403,
    message: expect.stringContaining('HTTP status 403: Not you.'),
  })
})

test.each([
  ['a missing scope', new InsufficientScopeError({ requiredScope: 'a b' }), 403, 'a b'],
  [
    'a missing scope, described',
    new InsufficientScopeError({ requiredScope: 'a', errorDescription: 'Ask Ada.' }),
    403,
    'Ask Ada.',
  ],
  ['no authorization', new UnauthorizedError('log in first'), 401, 'log in first'],
])('a transport of the service may say %s in the words of the SDK', async (_name, error, status, text) => {
  const transport: Transport = {
    start: async () => undefined,
    send: () => Promise.reject(error),
    close: async () => undefined,
  }
  const { connection } = open({ type: 'custom', open: () => transport }, { maxReconnects: 0 })
  await expect(connection.whenReady(10_000)).rejects.toMatchObject({
    cause: { fault: 'refused', status, message: expect.stringContaining(text) },
  })
})
