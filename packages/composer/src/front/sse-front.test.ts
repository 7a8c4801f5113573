import { once } from 'node:events'
import { request } from 'node:http'
import { Client, SSEClientTransport } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { createHosting, type HostOptions, post, toCall, toInitialize } from './front-host.fixture.ts'
import { createSseFront } from './sse-front.ts'
import { readEvents } from './sse-reader.fixture.ts'

const { host: hostSse, closeAll, cleanups } = createHosting({ create: createSseFront })
afterEach(closeAll)

async function host(options: HostOptions = {}) {
  const hosted = await hostSse(options)
  return { ...hosted, url: hosted.url.replace(/mcp$/, 'sse') }
}

const STREAM = { accept: 'text/event-stream' }

async function open(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { ...STREAM, ...headers } })
  const events = readEvents(response)
  cleanups.push(async () => events.cancel())
  const endpoint = await events.next()
  return { response, events, endpoint: new URL(endpoint?.data ?? '', url).href, first: endpoint }
}

test('the official client lists, calls, is asked and is told of changes', async () => {
  verifies('CO-MCP-2')
  const { url, gateway, front } = await host()
  const client = new Client({ name: 'old', version: '1' }, { capabilities: { sampling: {} } })
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'because' },
  }))
  const told: string[] = []
  client.setNotificationHandler('notifications/tools/list_changed', () => void told.push('tools'))
  await client.connect(new SSEClientTransport(new URL(url)))
  cleanups.push(() => client.close())
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
  const result = await client.callTool({ name: 'echo', arguments: { a: 1 } })
  expect(result.content).toEqual([{ type: 'text', text: '{"a":1}' }])
  expect(JSON.stringify(await client.callTool({ name: 'ask', arguments: {} }))).toContain('because')
  gateway.change({ type: 'tools' })
  await expect.poll(() => told).toEqual(['tools'])
  await client.close()
  await expect.poll(front.sessionCount).toBe(0)
})

test.each([
  ['/sse', '/messages'],
  ['/sse/', '/messages'],
  ['/deep/under/sse', '/deep/under/messages'],
])('a stream at %s is posted to at %s', async (path, expected) => {
  const { url } = await host()
  const { first, endpoint } = await open(url.replace('/sse', path))
  expect(first?.event).toBe('endpoint')
  const { pathname, searchParams } = new URL(endpoint)
  expect(pathname).toBe(expected)
  expect(searchParams.get('sessionId')).toMatch(/^[\w-]{32}$/)
})

describe('a message', () => {
  test('is accepted, and answered on the stream', async () => {
    const { url } = await host()
    const { events, endpoint } = await open(url)
    expect((await post(endpoint, toInitialize('2024-11-05'))).status).toBe(202)
    expect(await events.message()).toMatchObject({ id: 'init', result: { protocolVersion: '2024-11-05' } })
    expect((await post(endpoint, toCall(1, 'log'))).status).toBe(202)
    const messages = [
      await events.message(),
      await events.message(),
      await events.message(),
      await events.message(),
    ]
    expect(messages.map(({ id, method }) => id ?? method)).toEqual([
      'notifications/message',
      'notifications/message',
      'notifications/message',
      1,
    ])
  })

  test.each([
    ['no JSON', '{', 400],
    ['a batch', [toCall(1, 'echo')], 400],
    ['nothing of the kind', { jsonrpc: '2.0' }, 400],
    ['too much', { pad: 'x'.repeat(2000) }, 413],
  ])('with %s is refused', async (_what, body, status) => {
    const { url, gateway } = await host({ maxBodyBytes: 1000 })
    const { endpoint } = await open(url)
    expect((await post(endpoint, body)).status).toBe(status)
    expect(gateway.requests).toHaveLength(0)
  })

  test.each(['bob', 'ada-reader', 'ada-in-a-role', ''])(
    'of %s does not reach the session of ada',
    async (caller) => {
      const { url, gateway } = await host()
      const { endpoint } = await open(url, { 'x-caller': 'ada' })
      expect((await post(endpoint, toCall(1, 'echo'), { 'x-caller': caller })).status).toBe(404)
      expect((await post(`${url}?sessionId=nobody`, toCall(1, 'echo'), { 'x-caller': 'ada' })).status).toBe(
        404,
      )
      expect((await post(url, toCall(1, 'echo'), { 'x-caller': 'ada' })).status).toBe(404)
      expect(gateway.requests).toHaveLength(0)
    },
  )
})

test('a message whose session ends while it is on its way does not get through', async () => {
  const revocation = new AbortController()
  const { url, front, gateway } = await host({
    callers: { ada: { subject: 'ada', revoked: revocation.signal } },
  })
  const { endpoint } = await open(url, { 'x-caller': 'ada' })
  const posting = request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caller': 'ada' },
  })
  cleanups.push(() => posting.destroy())
  const [first, rest] = splitText(JSON.stringify(toCall(1, 'echo')))
  posting.write(first)
  // Whatever is answered later was taken later.
  await post(endpoint, toCall(2, 'echo'), { 'x-caller': 'ada' })
  await expect.poll(() => gateway.requests.length).toBe(1)
  revocation.abort()
  await expect.poll(front.sessionCount).toBe(0)
  posting.end(rest)
  const [answer] = await once(posting, 'response')
  expect(answer.statusCode).toBe(404)
  expect(gateway.requests).toHaveLength(1)
})

test('a client that leaves takes its session and what is under way along', async () => {
  const { url, gateway, front } = await host()
  const { events, endpoint } = await open(url)
  await post(endpoint, toCall(1, 'wait'))
  await expect.poll(() => gateway.requests.length).toBe(1)
  await events.cancel()
  await expect.poll(() => gateway.requests[0]?.signal.aborted).toBe(true)
  expect(front.sessionCount()).toBe(0)
  expect((await post(endpoint, toCall(2, 'echo'))).status).toBe(404)
})

test('a session does not go stale while its stream is open', async () => {
  let now = 0
  const { url, front } = await host({ maxSessions: 1, sessionIdleMs: 1000, now: () => now })
  await open(url)
  now = 5000
  expect((await fetch(url, { headers: STREAM })).status).toBe(503)
  expect(front.sessionCount()).toBe(1)
})

test('a stream ends with the credential, and with the front', async () => {
  const revocation = new AbortController()
  const { url, front, gateway } = await host({
    callers: { ada: { subject: 'ada', revoked: revocation.signal } },
  })
  const own = await open(url, { 'x-caller': 'ada' })
  const other = await open(url)
  revocation.abort()
  expect(await own.events.next()).toBeUndefined()
  expect(front.sessionCount()).toBe(1)
  await front.close()
  expect(await other.events.next()).toBeUndefined()
  expect((await fetch(url, { headers: STREAM })).status).toBe(503)
  expect(gateway.listeners()).toBe(0)
})

test.each([
  ['GET', { accept: 'application/json' }, 406],
  ['DELETE', {}, 405],
  ['PUT', {}, 405],
])('%s with %o is %i', async (method, headers, status) => {
  const { url } = await host()
  expect((await fetch(url, { method, headers })).status).toBe(status)
})

function splitText(text: string): [string, string] {
  return [text.slice(0, 10), text.slice(10)]
}
