import { afterEach, expect, test } from 'vitest'
import { hostEndpoint, INITIALIZE, openSession, post } from '../fixtures/endpoint-host.ts'
import { hostFetch } from '../fixtures/http-host.ts'
import { eventually } from '../fixtures/processes.ts'
import { createSampleServer } from '../fixtures/sample-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createMcpEndpoint, type EndpointOptions } from './endpoint.ts'
import type { Caller, ServerFactory } from './factory.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(options: Partial<EndpointOptions> = {}, factory?: ServerFactory) {
  const hosted = await hostEndpoint(options, factory)
  cleanups.push(hosted.close)
  return hosted
}

test('sessions have ids of at least 128 random bits', async () => {
  const { url } = await host()
  const ids = await Promise.all(Array.from({ length: 20 }, () => openSession(url)))
  expect(new Set(ids).size).toBe(20)
  for (const id of ids) expect(Buffer.from(id, 'base64url').length).toBeGreaterThanOrEqual(16)
})

test.each([
  ['another caller', 'bob'],
  ['the same subject with other scopes', 'ada-reader'],
  ['nobody', undefined],
])('sessions are not there for %s', async (_name, other) => {
  const { url } = await host()
  const id = await openSession(url, 'ada')
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  const session = { 'mcp-session-id': id }
  const own = await post(url, ping, { ...session, 'x-caller': 'ada' })
  expect(own.status).toBe(200)
  const headers: Record<string, string> = other ? { ...session, 'x-caller': other } : session
  const foreign = await post(url, ping, headers)
  const unknown = await post(url, ping, { ...headers, 'mcp-session-id': 'no-such-session' })
  expect(foreign.status).toBe(404)
  expect(await foreign.text()).toBe(await unknown.text())
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(404)
  expect((await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })).status).toBe(404)
  expect((await post(url, ping, { ...session, 'x-caller': 'ada' })).status).toBe(200)
})

test('sessions end with DELETE, and are then gone', async () => {
  const { url, endpoint } = await host()
  const headers = { 'mcp-session-id': await openSession(url) }
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200)
  expect(endpoint.sessionCount()).toBe(0)
  expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'ping' }, headers)).status).toBe(404)
})

test('sessions go stale unless somebody uses them, and make room', async () => {
  let now = 0
  const { url, endpoint } = await host({ maxSessions: 2, sessionIdleMs: 1000, now: () => now })
  const listening = await openSession(url)
  const stream = await fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': listening } })
  const idle = await openSession(url)
  now = 2000
  const fresh = await openSession(url)
  expect(fresh).not.toBe('')
  expect(endpoint.sessionCount()).toBe(2)
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  expect((await post(url, ping, { 'mcp-session-id': idle })).status).toBe(404)
  expect((await post(url, ping, { 'mcp-session-id': listening })).status).toBe(200)
  await stream.body?.cancel()
})

test('sessions are bounded in all (503) and for each caller (429), in a burst too', async () => {
  const { url, endpoint } = await host({ maxSessions: 3, maxSessionsPerCaller: 2 }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return createSampleServer()
  })
  const burst = await Promise.all(
    Array.from({ length: 5 }, () => post(url, INITIALIZE, { 'x-caller': 'ada' })),
  )
  expect(burst.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429])
  expect((await post(url, INITIALIZE, { 'x-caller': 'bob' })).status).toBe(200)
  const refused = await post(url, INITIALIZE, { 'x-caller': 'bob' })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await refused.json()).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('sessions') },
  })
  expect(endpoint.sessionCount()).toBe(3)
})

test('sessions that could not be opened take no room', async () => {
  let broken = true
  const { url, endpoint } = await host({ maxSessions: 1 }, () => {
    if (broken) throw new Error('no server today')
    return createSampleServer()
  })
  const failed = await post(url, INITIALIZE)
  expect(failed.status).toBe(500)
  expect(await failed.json()).toMatchObject({
    id: 1,
    error: { code: -32603, message: 'Internal server error.' },
  })
  broken = false
  expect((await post(url, INITIALIZE, { accept: 'text/plain' })).status).toBe(406)
  expect(endpoint.sessionCount()).toBe(0)
  expect(await openSession(url)).not.toBe('')
})

test('sessions end with the credential they were opened with', async () => {
  const revoke = new AbortController()
  const endpoint = createMcpEndpoint(createSampleServer, { logger: createSilentLogger() })
  const principal: Caller = { subject: 'eve', revoked: revoke.signal }
  const http = await hostFetch((request) => endpoint.fetch(request, { principal }))
  cleanups.push(http.close, endpoint.close)
  const id = await openSession(http.url)
  const stream = await fetch(http.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': id } })
  revoke.abort()
  expect(await stream.text()).toBe('')
  await eventually('the session is gone', () => endpoint.sessionCount() === 0)
})

test('sessions whose credential is revoked while they open are not left behind, whenever it happens', async () => {
  const statuses: number[] = []
  for (let turns = 0; turns < 40; turns += 1) {
    const revoke = new AbortController()
    const factory = () => {
      void afterTurns(turns, () => revoke.abort())
      return createSampleServer()
    }
    const endpoint = createMcpEndpoint(factory, { logger: createSilentLogger() })
    const ask = (body: object, headers: Record<string, string> = {}) => {
      const accept = 'application/json, text/event-stream'
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
      })
      const principal: Caller = { subject: 'eve', revoked: revoke.signal }
      return endpoint.fetch(request, { principal, parsedBody: body })
    }
    const opened = await ask(INITIALIZE)
    statuses.push(opened.status)
    await eventually('the session is gone', () => endpoint.sessionCount() === 0)
    const id = opened.headers.get('mcp-session-id') ?? ''
    const later = await ask({ jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': id })
    expect(later.status, `after ${turns} turns`).toBe(404)
    await endpoint.close()
  }
  // From before the server was made until after the answer.
  expect(statuses).toEqual(expect.arrayContaining([401, 200]))
})

/** Lets so many other continuations run first. */
async function afterTurns(turns: number, run: () => void): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await undefined
  run()
}

test('a session that is being opened while the endpoint closes does not stay behind', async () => {
  const making = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const { url, endpoint } = await host({}, async () => {
    making.resolve()
    await release.promise
    return createSampleServer()
  })
  const opening = post(url, INITIALIZE)
  await making.promise
  const closing = endpoint.close()
  release.resolve()
  await closing
  expect((await opening).status).toBe(503)
  expect(endpoint.sessionCount()).toBe(0)
})
