import { once } from 'node:events'
import { createRoute } from '@hono/zod-openapi'
import { createApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { serve } from '@quire/kit/serve/serve'
import { createWebSocketStreams } from '@quire/kit/stream/websocket-route'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ApiKeySettings, AuthorizationSettings } from '../config/config.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { openSession, post } from '../front/front-host.fixture.ts'
import { createTestGateway } from '../front/gateway.fixture.ts'
import { createHttpFront } from '../front/http-front.ts'
import { mountFront } from '../front/mount-front.ts'
import { createSseFront } from '../front/sse-front.ts'
import { readEvents } from '../front/sse-reader.fixture.ts'
import { createComposerAuthentication } from './composer-authentication.ts'

const ADA = { key: 'key-of-ada-0123456789', subject: 'ada', scopes: ['logs:read'], roles: ['high'] }
const BOB = { key: 'key-of-bob-0123456789', subject: 'bob', scopes: ['logs:read'], roles: ['high'] }
const LIST = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
const STREAM = { accept: 'text/event-stream' }
const authorization: AuthorizationSettings = {
  enabled: true,
  roles: [
    { name: 'high', tools: ['*'], scopes: ['tools:list'] },
    { name: 'low', tools: [], scopes: ['tools:list'] },
  ],
  rateLimit: undefined,
}

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A service with everything that stays open, on a real port. */
async function host() {
  const toSettings = (apiKeys: ApiKeySettings[]) => ({ enabled: true, apiKeys, jwt: undefined })
  const authentication = await createComposerAuthentication(toSettings([ADA, BOB]), { authorization })
  if (!authentication) throw new Error('authentication is off')
  const logger = createSilentLogger()
  const gateway = createTestGateway()
  const fronts = [createHttpFront(gateway, { logger }), createSseFront(gateway, { logger })] as const
  const streams = createWebSocketStreams({ logger })
  const app = createApp({ errorBody: ({ detail }) => ({ detail }), logger, authentication })
  mountFront(app, '/mcp', fronts[0])
  mountFront(app, '/sse', fronts[1])
  const logs = { method: 'get', path: '/logs', security: needs('logs:read') } as const
  app.openapi(
    createRoute({ ...logs, responses: { 101: { description: 'a WebSocket' } } }),
    streams.route(async function* (_context, signal) {
      yield 'hello'
      await once(signal, 'abort')
    }),
  )
  const { url, close } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  cleanups.push(async () => {
    streams.close()
    for (const front of fronts) await front.close()
    await close(0)
  })
  const configure = (ada: ApiKeySettings, roles = authorization) =>
    authentication.configure(toSettings([ada, BOB]), roles)
  return { url, configure, counts: () => fronts.map((front) => front.sessionCount()) }
}

/** A WebSocket, a session with its stream, and an old stream. */
async function openAll(url: string, { key }: ApiKeySettings) {
  const headers = { authorization: `Bearer ${key}` }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/logs`, { headers })
  cleanups.push(() => socket.terminate())
  const closed = once(socket, 'close')
  await once(socket, 'message')
  const session = await openSession(`${url}/mcp`, { headers })
  const stream = readEvents(await fetch(`${url}/mcp`, { headers: { ...session, ...STREAM } }))
  const old = readEvents(await fetch(`${url}/sse`, { headers: { ...headers, ...STREAM } }))
  cleanups.push(stream.cancel, old.cancel)
  await old.next()
  const list = async () => (await post(`${url}/mcp`, LIST, session)).status
  return { socket, closed, stream, old, list }
}

test.each<[string, ApiKeySettings, AuthorizationSettings]>([
  ['another role', { ...ADA, roles: ['low'] }, authorization],
  ['a scope less', { ...ADA, scopes: [] }, authorization],
  ['another subject', { ...ADA, subject: 'eve' }, authorization],
])('with %s a key loses all that it has open, and others lose nothing', async (_what, next, roles) => {
  const { url, configure, counts } = await host()
  const ada = await openAll(url, ADA)
  const bob = await openAll(url, BOB)
  await configure(next, roles)
  expect((await ada.closed)[0]).toBe(1001)
  // What is left of the stream: the first event says no more than how to resume.
  while (await ada.stream.next());
  expect(await ada.old.next()).toBeUndefined()
  expect(await ada.list()).toBe(404)
  expect(await bob.list()).toBe(200)
  expect(bob.socket.readyState).toBe(WebSocket.OPEN)
  expect(counts()).toEqual([1, 1])
})

test('a configuration that says the same of the keys ends nothing', async () => {
  const { url, configure, counts } = await host()
  const ada = await openAll(url, ADA)
  await configure({ ...ADA }, { ...authorization, roles: [...authorization.roles].reverse() })
  expect(await ada.list()).toBe(200)
  expect(ada.socket.readyState).toBe(WebSocket.OPEN)
  expect(counts()).toEqual([1, 1])
})
