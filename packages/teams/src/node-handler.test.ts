import { once } from 'node:events'
import { createApp } from '@quire/kit/app/create-app'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { createLogger } from '@quire/kit/log'
import { createSse } from '@quire/kit/stream/sse'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { alone, NOTHING_HERE, PARENTS, PARENTS_OWN, type Parent, PREFIX } from './mounting.fixture.ts'
import { createNodeHandler } from './node-handler.ts'

const TOKEN = 'full-access-0123456789abcdef'
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` }

const Echo = z.object({ text: z.string(), type: z.string() })

/** Says what came to it. */
function createEchoService() {
  const ring = createKeyRing([{ hash: hashToken(TOKEN), subject: 'ada' }])
  const logger = createLogger({ level: 'silent', pretty: false })
  const sse = createSse({ logger })
  const app = createApp({
    errorBody: ({ detail, reason }) => ({ oops: detail, reason }),
    guards: {},
    authentication: { realm: 'echo', verify: ring.verify },
  })
  const streams = { left: 0 }
  app.post('/echo', async (c) => c.json({ text: await c.req.text(), type: c.req.header('content-type') }))
  app.get('/where/:what', (c) =>
    c.json({ url: c.req.url, what: c.req.param('what'), target: c.get('raw').target }),
  )
  app.get('/ticks', (c) =>
    sse.response(c, async function* ticks(signal) {
      yield { data: 'first' }
      if (!signal.aborted) await once(signal, 'abort')
      streams.left += 1
    }),
  )
  return { app, sse, streams }
}

// Before a parent of Hono puts its own there.
test('globals of the parent stay what they are', async () => {
  const { Request: before, Response: answer } = globalThis
  const parent = await alone(() => new Response('ok'))
  try {
    expect(await (await fetch(`${parent.url}${PREFIX}`)).text()).toBe('ok')
    expect([globalThis.Request === before, globalThis.Response === answer]).toEqual([true, true])
  } finally {
    await parent.close()
  }
})

describe.each(Object.entries(PARENTS))('in %s', (name, start) => {
  const { app, sse, streams } = createEchoService()
  let parent: Parent
  beforeAll(async () => {
    parent = await start(app.fetch)
  })
  afterAll(() => parent.close())

  const call = (path: string, init: RequestInit = {}) =>
    fetch(parent.url + path, { ...init, headers: { ...AUTHORIZED, ...init.headers } })
  const post = (body: string, headers: Record<string, string> = {}) =>
    call(`${PREFIX}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  const raw = (line: string, headers: readonly string[]) =>
    sendRaw(parent.port, `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`)

  test.each(['{"name":"Zoë 🙂","list":[1,2.5,null,true],"nested":{"a":{}}}', '[]', '[{"a":"\\u2028"}]'])(
    'the body %s arrives',
    async (body) => {
      const answer = await post(body)
      expect(answer.status).toBe(200)
      const { text, type } = Echo.parse(await answer.json())
      expect(JSON.parse(text)).toEqual(JSON.parse(body))
      expect(type).toBe('application/json')
    },
  )

  test('so does one that is sent in pieces', async () => {
    const pieces = async function* () {
      yield new TextEncoder().encode('{"a":')
      yield new TextEncoder().encode('1}')
    }
    const answer = await call(`${PREFIX}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    })
    expect(JSON.parse(Echo.parse(await answer.json()).text)).toEqual({ a: 1 })
  })

  test('a body that is nested too deep is refused by the service', async () => {
    const answer = await post('['.repeat(20_000) + ']'.repeat(20_000))
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { reason: 'body_shape', oops: expect.stringContaining('nested deeper') },
    ])
  })

  test('the service has its own paths, and its guards what was sent', async () => {
    const answer = await call(`${PREFIX}/where/a%20b?c=%2F`)
    expect(await answer.json()).toEqual({
      url: `${parent.url}/where/a%20b?c=%2F`,
      what: 'a b',
      target: `${PREFIX}/where/a%20b?c=%2F`,
    })
  })

  test('what it has nothing at is its own 404, and other paths are the parent’s', async () => {
    const nothing = await call(`${PREFIX}/nothing`)
    expect([nothing.status, await nothing.json()]).toMatchObject([404, { reason: 'not_found' }])
    expect(await (await call(PARENTS_OWN)).text()).toBe('of the parent')
    const elsewhere = await call(`${PREFIX}-elsewhere/where/x`)
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, NOTHING_HERE])
    expect((await fetch(`${parent.url}${PREFIX}/where/x`)).status).toBe(401)
  })

  test.each([
    ['two hosts', ['Host: localhost', 'Host: localhost', `Authorization: Bearer ${TOKEN}`], 421],
    ['a strange host', ['Host: evil.example', `Authorization: Bearer ${TOKEN}`], 421],
    ['a host that is none', ['Host: a b', `Authorization: Bearer ${TOKEN}`], 421],
    ['two tokens', ['Host: localhost', `Authorization: Bearer ${TOKEN}`, 'Authorization: Bearer x'], 400],
    ['a strange origin', ['Host: localhost', `Authorization: Bearer ${TOKEN}`, 'Origin: http://evil'], 403],
    ['no token', ['Host: localhost'], 401],
  ])('%s is refused', async (_case, headers, status) => {
    const answer = await raw(`GET ${PREFIX}/where/x`, headers)
    expect(answer.status).toBe(status)
    expect(answer.body).toContain('"oops"')
  })

  // What no URL can be made of is nowhere, where Hono is the one to say where it belongs.
  test.each(['/where/..%2f', '/where/%00', ...(name === 'Hono' ? [] : ['/where/a\\b'])])(
    'the path %s is refused',
    async (path) => {
      const answer = await raw(`GET ${PREFIX}${path}`, ['Host: localhost', `Authorization: Bearer ${TOKEN}`])
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('"path_shape"')])
    },
  )

  test('a stream is not held back, and hears that its reader has left', async () => {
    const leave = new AbortController()
    const answer = await call(`${PREFIX}/ticks`, { signal: leave.signal })
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: first\n\n')
    const before = streams.left
    leave.abort()
    await expect.poll(() => streams.left, { timeout: 30_000 }).toBe(before + 1)
    expect(sse.size()).toBe(0)
  })

  test('a HEAD has no body', async () => {
    const answer = await call(`${PREFIX}/where/x`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  test('nothing of it was an error to the parent', () => {
    expect(parent.errors).toEqual([])
  })
})

describe('what a service throws', () => {
  const failing = () => Promise.reject(new Error('no service'))

  test.each(['Express, before parsers', 'Express, behind express.json()', 'a bare http server'])(
    'goes to the error handler of %s',
    async (name) => {
      const parent = await PARENTS[name]?.(failing)
      try {
        const answer = await fetch(`${parent?.url}${PREFIX}/x`)
        expect(parent?.errors).toMatchObject([{ message: 'no service' }])
        // With its path as it was.
        if (name.startsWith('Express')) expect(await answer.text()).toBe(`${PREFIX}/x failed`)
      } finally {
        await parent?.close()
      }
    },
  )

  test('is a 500 and a warning of the process where there is none', async () => {
    const parent = await alone(failing)
    try {
      const warned = once(process, 'warning')
      const answer = await fetch(`${parent.url}${PREFIX}/x`)
      expect([answer.status, await answer.text()]).toEqual([500, 'Internal server error'])
      expect(await warned).toMatchObject([{ message: 'no service' }])
      expect((await fetch(`${parent.url}/elsewhere`)).status).toBe(404)
    } finally {
      await parent.close()
    }
  })
})

test('headers that Fastify has put on its answer stay there', async () => {
  const parent = await PARENTS.Fastify?.(() => new Response('ok'))
  try {
    const answer = await fetch(`${parent?.url}${PREFIX}/x`)
    expect(answer.headers.get('x-parent')).toBe('fastify')
  } finally {
    await parent?.close()
  }
})

test('a prefix that is none is refused at once', () => {
  expect(() => createNodeHandler(() => new Response(), { prefix: 'teams' })).toThrow(/must begin with "\/"/)
})
