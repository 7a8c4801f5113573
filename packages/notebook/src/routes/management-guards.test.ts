import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startStandIn } from '../fixtures/stand-in.ts'

const TOKEN = 'shared-token-0123456789'
const MANAGER = 'manager-token-0123456789'
const READER = 'reader-token-0123456789'
const ring = createKeyRing([
  { hash: hashToken(TOKEN), subject: 'mcp-client' },
  { hash: hashToken(MANAGER), subject: 'manager', scopes: ['server:manage'] },
  {
    hash: hashToken(READER),
    subject: 'reader',
    scopes: ['notebooks:read', 'notebooks:write', 'code:execute'],
  },
])
const WIDE = { allowedHosts: ['notebooks.example.org'], allowedOrigins: ['https://app.example.org'] }

const guarded = await startStandIn({
  authentication: { realm: 'notebook-tools', verify: ring.verify },
  guards: WIDE,
})
const open = await startStandIn({ guards: WIDE })
afterAll(() => Promise.all([guarded.close(), open.close()]))

beforeEach(() => {
  guarded.asked.connect.length = 0
  guarded.asked.stop = 0
})

const routes = [
  ['GET', '/api/healthz'],
  ['PUT', '/api/connect'],
  ['DELETE', '/api/stop'],
] as const
const closedRoutes = routes.slice(1)

const BODY = JSON.stringify({ code_sandbox_url: 'http://localhost:8888' })
interface Raw {
  readonly host?: string
  readonly headers?: readonly string[]
  readonly port?: number
}
function send(
  method: string,
  path: string,
  { host = 'localhost', headers = [], port = guarded.port }: Raw = {},
) {
  const body = method === 'PUT' ? BODY : ''
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
    ...headers,
  ]
  return sendRaw(port, `${lines.join('\r\n')}\r\n\r\n${body}`)
}
const bearer = (token: string) => `Authorization: Bearer ${token}`

describe.each(routes)('%s %s', (method, path) => {
  test.each(['localhost', '127.0.0.1', '[::1]', 'localhost:4040', '127.0.0.1:9', '[::1]:4040', 'LOCALHOST'])(
    'answers to %s',
    async (host) => {
      verifies('NB-GUARD-1')
      for (const target of [path, `${path}/`])
        expect((await send(method, target, { host, headers: [bearer(TOKEN)] })).status).toBe(200)
    },
  )

  test.each([
    ['notebooks.example.org'],
    ['evil.example'],
    ['localhost.evil.example'],
    ['x@localhost'],
    ['localhost@evil.example'],
    ['localhost#.evil.example'],
    ['localhost/x?y'],
    ['localhost\\.evil.example'],
    ['%6cocalhost'],
    ['loca\tlhost'],
    ['localhost.'],
    ['0x7f000001'],
    ['2130706433'],
    ['127.1'],
    ['127.0.0.1.nip.io'],
    ['0.0.0.0'],
    ['::1'],
    ['[::1'],
    ['[::ffff:127.0.0.1]'],
    ['localhost, evil.example'],
    [''],
  ])('refuses the Host %j, whatever else comes with it', async (host) => {
    verifies('NB-GUARD-2', 'NB-GUARD-5', 'NB-GUARD-7', 'NB-GUARD-8')
    for (const port of [guarded.port, open.port]) {
      for (const headers of [[], [bearer(TOKEN)], ['Origin: https://evil.example']]) {
        const answer = await send(method, path, { host, headers, port })
        expect(answer.status).toBe(421)
        expect(JSON.parse(answer.body)).toEqual({ error: 'Invalid Host header' })
      }
    }
    expect([guarded.asked.connect, guarded.asked.stop]).toEqual([[], 0])
  })

  test('two Hosts, or none, are refused too', async () => {
    expect((await send(method, path, { headers: ['Host: localhost'] })).status).toBe(421)
    expect((await sendRaw(guarded.port, `${method} ${path} HTTP/1.0\r\n\r\n`)).status).toBe(421)
  })

  test.each([
    ['https://app.example.org'],
    ['https://evil.example'],
    ['http://localhost.evil.example'],
    ['http://localhost@evil.example'],
    ['http://127.0.0.1.evil.example'],
    ['http://notebooks.example.org'],
    ['null'],
    ['file://'],
    ['localhost'],
    [''],
  ])('refuses pages of %j, whatever token they have', async (origin) => {
    verifies('NB-GUARD-3', 'NB-GUARD-5', 'NB-GUARD-7', 'NB-GUARD-9')
    for (const port of [guarded.port, open.port]) {
      for (const headers of [[], [bearer(TOKEN)], [bearer('wrong')]]) {
        const answer = await send(method, path, { headers: [`Origin: ${origin}`, ...headers], port })
        expect(answer.status).toBe(403)
        expect(JSON.parse(answer.body)).toEqual({ error: 'Invalid Origin header' })
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    }
    expect([guarded.asked.connect, guarded.asked.stop]).toEqual([[], 0])
  })

  test.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:4040', 'https://localhost'])(
    'lets pages of %s call',
    async (origin) => {
      const answer = await send(method, path, { headers: [`Origin: ${origin}`, bearer(TOKEN)] })
      expect(answer.status).toBe(200)
    },
  )

  test('gives no leave in advance to pages that may not call', async () => {
    const preflight = (origin: string) =>
      send('OPTIONS', path, { headers: [`Origin: ${origin}`, `Access-Control-Request-Method: ${method}`] })
    expect((await preflight('http://localhost:5173')).status).toBe(204)
    const refused = await preflight('https://app.example.org')
    expect(refused.status).toBe(403)
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('another method is looked at by the same guards, and then refused', async () => {
    const other = method === 'GET' ? 'DELETE' : 'GET'
    expect(
      (await send(other, path, { host: 'notebooks.example.org', headers: [bearer(TOKEN)] })).status,
    ).toBe(421)
    const answer = await send(other, path, { headers: [bearer(TOKEN)] })
    expect(answer.status).toBe(405)
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'method' })
  })
})

test('other routes answer to the names and the pages that were added', async () => {
  const headers = ['Origin: https://app.example.org', bearer(TOKEN)]
  expect((await send('GET', '/metrics', { host: 'notebooks.example.org', headers })).status).toBe(200)
})

describe.each(closedRoutes)('%s %s', (method, path) => {
  test.each([
    ['nothing', []],
    ['another scheme', ['Authorization: Basic dXNlcjpwYXNz']],
    ['a wrong token', [bearer('wrong-token-0123456789')]],
    ['a part of the token', [bearer(TOKEN.slice(0, -1))]],
    ['more than the token', [bearer(`${TOKEN}x`)]],
    ['another spelling', [bearer(TOKEN.toUpperCase())]],
    ['the token without a scheme', [`Authorization: ${TOKEN}`]],
    ['an empty token', ['Authorization: Bearer ']],
  ])('refuses %s', async (_what, headers) => {
    verifies('NB-GUARD-4', method === 'PUT' ? 'NB-MGMT-4' : 'NB-MGMT-5')
    const answer = await send(method, path, { headers })
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body)).toEqual({
      error: 'invalid_token',
      error_description: expect.stringMatching(/\w/),
    })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="notebook-tools"/)
    expect([guarded.asked.connect, guarded.asked.stop]).toEqual([[], 0])
  })

  test('a token in the address, or two, are refused', async () => {
    for (const [target, headers] of [
      [`${path}?token=${TOKEN}`, []],
      [`${path}?access_token=${TOKEN}`, [bearer(TOKEN)]],
      [path, [bearer(TOKEN), bearer(TOKEN)]],
    ] as const) {
      const answer = await send(method, target, { headers })
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request' })
    }
  })

  test('needs the scope server:manage, where a token has scopes', async () => {
    verifies('NB-GUARD-10')
    expect((await send(method, path, { headers: [bearer(MANAGER)] })).status).toBe(200)
    const answer = await send(method, path, { headers: [bearer(READER)] })
    expect(answer.status).toBe(403)
    expect(answer.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="server:manage"/)
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'insufficient_scope' })
  })

  test('is open without a token where nobody is asked for one', async () => {
    verifies('NB-GUARD-6')
    expect((await send(method, path, { port: open.port })).status).toBe(200)
  })
})
