import { createRoute, z } from '@hono/zod-openapi'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { serve } from '../serve/serve.ts'
import { type AppOptions, createApp } from './create-app.ts'
import { open } from './route-table.ts'

const ALLOWED = { host: 'notebooks.example.org', origin: 'https://app.example.org' }

function createLocalApp(options: Partial<AppOptions> = {}) {
  const app = createApp({ errorBody: ({ reason, detail }) => ({ reason, detail }), ...options })
  const route = (method: 'get' | 'put', path: string, rest: object = {}) =>
    createRoute({
      method,
      path,
      security: open,
      request: { params: z.object({ name: z.string().optional() }) },
      responses: { 200: { description: 'text' } },
      ...rest,
    })
  app.openapi(route('put', '/local', { 'x-loopback-only': true }), (c) => c.text('local'))
  app.openapi(route('get', '/wide'), (c) => c.text('wide'))
  app.openapi(route('get', '/wide/{name}'), (c) => c.text('any'))
  app.openapi(route('get', '/wide/local', { 'x-loopback-only': true }), (c) => c.text('local'))
  return app
}

const guards = { allowedHosts: [ALLOWED.host], allowedOrigins: [ALLOWED.origin] }
const listening = await serve({ fetch: createLocalApp({ guards }).fetch, host: '127.0.0.1', port: 0 })
afterAll(() => listening.close(0))

function send(line: string, host: string, ...headers: string[]) {
  const lines = [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers]
  return sendRaw(listening.port, `${lines.join('\r\n')}\r\n\r\n`)
}

test('names and origins that were added open the other routes', async () => {
  expect((await send('GET /wide', ALLOWED.host, `Origin: ${ALLOWED.origin}`)).status).toBe(200)
  expect((await send('GET /wide/x', ALLOWED.host)).status).toBe(200)
})

describe.each([
  ['the route itself', 'PUT /local', 200],
  ['the same with a slash at its end', 'PUT /local/', 200],
  ['the same in escapes', 'PUT /%6cocal', 200],
  ['another method of its path', 'POST /local', 405],
  ['a method that nobody speaks', 'TRACE /local', 405],
  ['one that another route would answer for as well', 'GET /wide/local', 200],
  ['the head of it', 'HEAD /wide/local', 200],
])('%s', (_what, line, status) => {
  test.each([['localhost'], ['127.0.0.1:4040'], ['[::1]'], ['LocalHost:1']])(
    'answers to %s',
    async (host) => {
      expect((await send(line, host)).status).toBe(status)
      expect((await send(line, host, 'Origin: http://localhost:5173')).status).toBe(status)
    },
  )

  test.each([
    [ALLOWED.host],
    [`${ALLOWED.host}:443`],
    ['evil.example'],
    ['evil.example@localhost'],
    ['localhost.evil.example'],
    ['localhost#.evil.example'],
    ['localhost.'],
    ['0x7f000001'],
    ['2130706433'],
    ['127.1'],
    ['127.0.0.2'],
    ['0.0.0.0'],
    ['[::ffff:127.0.0.1]'],
    [''],
  ])('does not answer to %s', async (host) => {
    const answer = await send(line, host)
    expect(answer.status).toBe(421)
    if (!line.startsWith('HEAD')) expect(JSON.parse(answer.body).detail).not.toMatch(/--allowed/)
  })

  test.each([
    [ALLOWED.origin],
    [`https://${ALLOWED.host}`],
    ['https://evil.example'],
    ['http://localhost.evil.example'],
    ['http://localhost@evil.example'],
    ['null'],
    ['file://localhost'],
    [''],
  ])('is closed to pages of %s', async (origin) => {
    const answer = await send(line, 'localhost', `Origin: ${origin}`)
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('gives no leave to pages of other origins in advance', async () => {
    const path = line.split(' ')[1]
    const preflight = (origin: string) =>
      send(`OPTIONS ${path}`, 'localhost', `Origin: ${origin}`, 'Access-Control-Request-Method: PUT')
    expect((await preflight('http://localhost:5173')).status).toBe(204)
    const refused = await preflight(ALLOWED.origin)
    expect(refused.status).toBe(403)
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
  })
})

test('two Host headers are one too many', async () => {
  expect((await send('PUT /local', 'localhost', 'Host: localhost')).status).toBe(421)
})

test('holds inside a parent application too, which has the other routes to itself', async () => {
  const app = createLocalApp()
  const status = async (path: string, method: string, headers: Record<string, string>) =>
    (await app.request(path, { method, headers })).status
  expect(await status('/wide', 'GET', { host: 'evil.example', origin: 'https://evil.example' })).toBe(200)
  expect(await status('/local', 'PUT', { host: 'evil.example' })).toBe(421)
  expect(await status('/local', 'PUT', { host: 'localhost', origin: 'https://evil.example' })).toBe(403)
  const answer = await app.request('/local', { method: 'PUT', headers: { origin: 'http://localhost:1' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})
