import { once } from 'node:events'
import { connect } from 'node:net'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createFailureThrottle } from '../auth/failure-throttle.ts'
import { createKeyRing } from '../auth/key-ring.ts'
import { hashToken } from '../auth/token.ts'
import { createMetrics } from '../metrics.ts'
import { serve } from '../serve/serve.ts'
import type { Answer } from './answer.ts'
import { type AppOptions, createApp } from './create-app.ts'
import { createShortWay, type PlainPost } from './short-way.ts'

const TOKEN = 'full-access-0123456789abcdef'
const metrics = createMetrics({ service: 'echo' })
const ring = createKeyRing([{ hash: hashToken(TOKEN), subject: 'ada' }])
/** What came the short way. */
const taken: PlainPost[] = []
beforeEach(() => void taken.splice(0))

const settings: AppOptions = {
  errorBody: ({ reason }) => ({ reason }),
  guards: { allowedHosts: ['door.example'] },
  authentication: {
    realm: 'echo',
    verify: (token) => (token === 'slow' ? Promise.resolve({ subject: 'bob' }) : ring.verify(token)),
    throttle: createFailureThrottle({ failures: 1_000 }),
  },
  maxBodyBytes: 300_000,
  metrics,
}

function createEcho(options: AppOptions) {
  const app = createApp(options)
  app.post('/echo', async (c) => c.json({ way: 'app', text: await c.req.text() }))
  return app
}

async function answer(post: PlainPost): Promise<Answer> {
  taken.push(post)
  const json = JSON.stringify({ way: 'short', text: post.text, by: post.principal.subject })
  const headers = { 'content-type': 'application/json' }
  if (post.text === '"gone"') return new Promise(() => post.onGone(() => gone.resolve()))
  if (post.text === '"stream"') return { status: 200, headers, body: new Blob([json]).stream() }
  if (post.text === '"rejects"') throw new Error('nobody expected this')
  if (post.text === '"nothing"') return { status: 202, headers: {}, body: null }
  return { status: 200, headers, body: Buffer.from(json) }
}
let gone = Promise.withResolvers<void>()

const shortWay = createShortWay(settings, {
  target: '/echo',
  pattern: '/echo',
  answer(post) {
    if (post.text === '"throws"') throw new Error('nobody expected this')
    return post.text === '"pass"' ? undefined : answer(post)
  },
})
const address = { host: '127.0.0.1', port: 0, fetch: createEcho(settings).fetch }
const short = await serve({ ...address, shortWay })
const long = await serve(address)
afterAll(() => Promise.all([short.close(0), long.close(0)]))

const HOST = 'Host: localhost'
const BEARER = `Authorization: Bearer ${TOKEN}`
const JSON_TYPE = 'Content-Type: application/json'
const PLAIN = [HOST, BEARER, JSON_TYPE]

function toText(line: string, headers: readonly string[], body: string, length?: string): string {
  const all = ['Connection: close', ...headers, length ?? `Content-Length: ${Buffer.byteLength(body)}`]
  return `${line} HTTP/1.1\r\n${all.filter(Boolean).join('\r\n')}\r\n\r\n${Buffer.from(body).toString('latin1')}`
}

describe('a plain request', () => {
  test.each([
    ['as a client sends it', PLAIN],
    ['to an allowed host', ['Host: door.example:8080', BEARER, JSON_TYPE]],
    ['with a charset', [HOST, BEARER, 'content-type: application/json; charset=UTF-8']],
    ['of a caller whom it takes time to know', [HOST, 'Authorization: Bearer slow', JSON_TYPE]],
  ])('takes the short way: %s', async (_what, headers) => {
    const body = '{"ä":"\\n😀"}'
    const { status, body: got } = await sendRaw(short.port, toText('POST /echo', headers, body))
    expect(status).toBe(200)
    expect(JSON.parse(Buffer.from(got, 'latin1').toString())).toMatchObject({ way: 'short', text: body })
  })

  test('has the same headers on its answer as on the long way', async () => {
    const text = toText('POST /echo', [...PLAIN, 'X-Request-Id: r-1'], '{}')
    const [one, other] = [await sendRaw(short.port, text), await sendRaw(long.port, text)]
    const { date: _one, 'content-length': _length, ...rest } = one.headers
    const { date: _other, 'content-length': _otherLength, ...otherRest } = other.headers
    expect(rest).toEqual(otherRest)
    expect(rest['x-request-id']).toBe('r-1')
  })

  test('is answered by a stream, by nothing, and byte for byte when it is long', async () => {
    const big = `"${'ä'.repeat(100_000)}"`
    for (const text of ['"stream"', big]) {
      const { body, headers } = await sendRaw(short.port, toText('POST /echo', PLAIN, text))
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(body).toContain('short')
      expect(taken.at(-1)?.text).toBe(text)
    }
    const response = await fetch(`${short.url}/echo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: big,
    })
    expect(await response.json()).toMatchObject({ way: 'short', text: big })
    expect((await sendRaw(short.port, toText('POST /echo', PLAIN, '"nothing"'))).status).toBe(202)
  })

  test('is counted once, whichever way it went', async () => {
    const count = async () =>
      Number(/http_requests_total\{[^}]*"\/echo"[^}]*2xx[^}]*\} (\d+)/.exec(await metrics.text())?.[1] ?? 0)
    const before = await count()
    for (const text of ['"pass"', '"x"']) await sendRaw(short.port, toText('POST /echo', PLAIN, text))
    await expect.poll(count).toBe(before + 2)
  })

  test('whose client leaves is told so to whoever answers it', async () => {
    gone = Promise.withResolvers()
    const socket = connect(short.port, '127.0.0.1')
    socket.write(toText('POST /echo', PLAIN, '"gone"'))
    await expect.poll(() => taken.length).toBe(1)
    socket.destroy()
    await gone.promise
  })

  test('that nobody answers on the short way is answered by the app, body and all', async () => {
    const { body } = await sendRaw(short.port, toText('POST /echo', PLAIN, '"pass"'))
    expect(JSON.parse(body)).toEqual({ way: 'app', text: '"pass"' })
  })
})

test('a handler that throws is left to the app, one that rejects costs its own connection alone', async () => {
  const { body } = await sendRaw(short.port, toText('POST /echo', PLAIN, '"throws"'))
  expect(JSON.parse(body)).toEqual({ way: 'app', text: '"throws"' })
  expect((await sendRaw(short.port, toText('POST /echo', PLAIN, '"rejects"'))).status).toBe(0)
  expect((await sendRaw(short.port, toText('POST /echo', PLAIN, '{}'))).status).toBe(200)
})

describe('whatever is not plain is the business of the app', () => {
  const deep = '['.repeat(65) + ']'.repeat(65)
  test.each<[string, number, string, readonly string[], string?, string?]>([
    ['no token', 401, 'POST /echo', [HOST, JSON_TYPE]],
    ['a wrong token', 401, 'POST /echo', [HOST, 'Authorization: Bearer x', JSON_TYPE]],
    ['a malformed token', 401, 'POST /echo', [HOST, 'Authorization: Basic x', JSON_TYPE]],
    ['two tokens', 400, 'POST /echo', [HOST, BEARER, BEARER, JSON_TYPE]],
    ['a token in the address', 400, `POST /echo?token=${TOKEN}`, PLAIN],
    ['a foreign host', 421, 'POST /echo', ['Host: evil.example', BEARER, JSON_TYPE]],
    ['two hosts', 421, 'POST /echo', [HOST, 'Host: evil.example', BEARER, JSON_TYPE]],
    ['a host in disguise', 421, 'POST /echo', ['Host: evil.example@localhost', BEARER, JSON_TYPE]],
    ['a foreign origin', 403, 'POST /echo', [...PLAIN, 'Origin: https://evil.example']],
    ['no origin to speak of', 403, 'POST /echo', [...PLAIN, 'Origin: null']],
    ['an origin of ours', 200, 'POST /echo', [...PLAIN, 'Origin: http://localhost']],
    ['another type', 415, 'POST /echo', [HOST, BEARER, 'Content-Type: text/plain']],
    ['no type', 415, 'POST /echo', [HOST, BEARER]],
    [
      'a type that hides another',
      415,
      'POST /echo',
      [HOST, BEARER, 'Content-Type: text/plain; application/json'],
    ],
    [
      'a body of unknown length',
      200,
      'POST /echo',
      [...PLAIN, 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
      '',
    ],
    ['no body', 200, 'POST /echo', PLAIN, ''],
    ['too long a body', 413, 'POST /echo', PLAIN, `"${'x'.repeat(300_000)}"`],
    ['too deep a body', 400, 'POST /echo', PLAIN, deep],
    ['too many values', 400, 'POST /echo', PLAIN, `[${'0,'.repeat(60_000)}0]`],
    ['an encoded path', 200, 'POST /ech%6F', PLAIN],
    ['a path with a dot', 400, 'POST /./echo', PLAIN],
    ['a query', 200, 'POST /echo?x=1', PLAIN],
    ['another method', 405, 'PUT /echo', PLAIN],
    ['another path', 404, 'POST /echoes', PLAIN],
  ])('%s: %i', async (_what, status, line, headers, body = '{}', length = undefined) => {
    const text = toText(line, headers, body, length)
    const [one, other] = [await sendRaw(short.port, text), await sendRaw(long.port, text)]
    expect(one.status).toBe(status)
    expect([other.status, other.body]).toEqual([one.status, one.body])
    expect(taken).toEqual([])
  })

  test('a body that ends before its length', async () => {
    const socket = connect(short.port, '127.0.0.1')
    socket.end(toText('POST /echo', PLAIN, '{"half', 'Content-Length: 100'))
    socket.resume()
    await once(socket, 'close')
    expect(taken).toEqual([])
  })

  test('a wrong token counts once against its address', async () => {
    const authentication = {
      realm: 'echo',
      verify: () => null,
      throttle: createFailureThrottle({ failures: 2 }),
    }
    const options = { ...settings, authentication }
    const way = createShortWay(options, { target: '/echo', pattern: '/echo', answer })
    const server = await serve({ ...address, fetch: createEcho(options).fetch, shortWay: way })
    try {
      const statuses: number[] = []
      for (let count = 0; count < 3; count += 1)
        statuses.push((await sendRaw(server.port, toText('POST /echo', PLAIN, '{}'))).status)
      expect(statuses).toEqual([401, 401, 429])
    } finally {
      await server.close(0)
    }
  })
})
