import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../scopes.ts'
import { POWERLESS, startApi, TOKEN, tokenFor } from './parts.fixture.ts'

const api = await startApi()
afterAll(api.close)

/** Of requests that reach no route: wherever they go, they may come back. */
const EVERYWHERE = [405, 421]

interface Operation {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly isPublic: boolean
  readonly types: readonly string[]
  readonly queries: readonly string[]
  readonly allowsSlash: boolean
}

const document = api.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } })
/** Its own types know no names of paths. */
const documented = document.paths as Record<string, Record<string, Described>>

/** Every route that the service itself says it has. */
const operations = readOperations()
const closed = operations.filter(({ isPublic }) => !isPublic)
const named = (list: readonly Operation[]) => list.map((one) => [`${one.method} ${one.path}`, one] as const)

test('there are the routes of the specification and a few more, each with its scope', () => {
  verifies('CO-SVC-1', 'CO-AUTH-7')
  const there = operations.map(({ method, path, isPublic, scopes }) => [
    `${method} ${path}`,
    isPublic ? 'everybody' : scopes.join(' '),
  ])
  expect(Object.fromEntries(there)).toEqual(ROUTES)
})

const ROUTES = {
  'GET /api/v1/health': 'everybody',
  'GET /api/v1/version': '',
  'GET /api/v1/status': 'tools:list',
  'GET /api/v1/status/composition': 'tools:list',
  'GET /api/v1/status/metrics': 'logs:read',
  'GET /api/v1/servers': 'tools:list',
  'GET /api/v1/servers/{server_id}': 'tools:list',
  'GET /api/v1/servers/{server_id}/history': 'tools:list',
  'POST /api/v1/servers/{server_id}/start': 'servers:manage',
  'POST /api/v1/servers/{server_id}/stop': 'servers:manage',
  'POST /api/v1/servers/{server_id}/restart': 'servers:manage',
  'GET /api/v1/tools': 'tools:list',
  'GET /api/v1/tools/{tool_name}': 'tools:list',
  'POST /api/v1/tools/{tool_name}/invoke': 'tools:invoke',
  'POST /api/v1/tools/{tool_name}/approve': 'servers:manage',
  'GET /api/v1/prompts': 'tools:list',
  'POST /api/v1/prompts/{prompt_name}/get': 'tools:invoke',
  'GET /api/v1/resources': 'tools:list',
  'POST /api/v1/resources/read': 'tools:invoke',
  'GET /api/v1/config': 'config:read',
  'PUT /api/v1/config': 'config:write',
  'POST /api/v1/config/validate': 'config:read',
  'POST /api/v1/config/reload': 'config:write',
  'GET /api/v1/translators': 'tools:list',
  'POST /api/v1/translators': 'servers:manage',
  'DELETE /api/v1/translators/{id}': 'servers:manage',
  'GET /ws/logs': 'logs:read',
  'GET /ws/metrics': 'logs:read',
}

describe.each(named(closed))('%s', (_name, operation) => {
  test.each([
    ['no token', null],
    ['a wrong token', 'wrong-token-0123456789'],
    ['a part of the token', TOKEN.slice(0, -1)],
  ])('with %s is 401', async (_what, as) => {
    verifies('CO-AUTH-2', 'CO-AUTH-3', 'CO-ERR-1')
    const answer = await request(operation, { as })
    expectError(answer, 401, as === null ? 'TOKEN_MISSING' : 'TOKEN_INVALID')
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="composer"/)
  })

  test('needs its own scope, and no other will do', async () => {
    verifies('CO-AUTH-7', 'ALL-SCOPE-2')
    const others = SCOPES.filter((scope) => !operation.scopes.includes(scope)).map(tokenFor)
    for (const as of operation.scopes.length > 0 ? [POWERLESS, ...others] : [])
      expectError(await request(operation, { as }), 403, 'INSUFFICIENT_SCOPE')
    const [scope] = operation.scopes
    const answer = await request(operation, { as: scope ? tokenFor(scope) : POWERLESS })
    expect([401, 403]).not.toContain(answer.status)
  })

  test('lets nobody in by another Host or from another page', async () => {
    expectError(await request(operation, { host: 'evil.example' }), 421, 'INVALID_HOST')
    expectError(
      await request(operation, { headers: ['Origin: https://evil.example'] }),
      403,
      'INVALID_ORIGIN',
    )
  })

  test('a token in the address is refused', async () => {
    expectError(await request(operation, { as: null, query: `?token=${TOKEN}` }), 400, 'TOKEN_TWICE')
  })
})

const bodied = operations.filter(({ types }) => types.length > 0)

describe.each(named(bodied))('the body of %s', (_name, operation) => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])(
    'as %j is 415',
    async (type) => {
      verifies('CO-ERR-6')
      expectError(await request(operation, { type, body: '{}' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    },
  )

  test('that is too large is 413', async () => {
    verifies('CO-ERR-5')
    expectError(await request(operation, { length: 1024 * 1024 + 1 }), 413, 'BODY_TOO_LARGE')
  })

  test.each([
    ['is missing', undefined, 'VALIDATION_ERROR'],
    ['is no JSON', '{"a":', 'INVALID_BODY'],
    ['is empty', ' ', 'INVALID_BODY'],
    ['is a list', '[]', 'VALIDATION_ERROR'],
    ['is a text', '"x"', 'VALIDATION_ERROR'],
    ['is null', 'null', 'VALIDATION_ERROR'],
    ['is too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'VALIDATION_ERROR'],
  ])('that %s is 400', async (_what, body, code) => {
    verifies('CO-ERR-2')
    // A prompt without arguments needs no body; what an approval needs depends on the tool, and this one is unknown.
    if (body === undefined && /\/(?:get|approve)$/.test(operation.path)) return
    expectError(await request(operation, { body }), 400, code)
  })
})

const lists = operations.filter(({ queries }) => queries.includes('limit'))

describe.each(named(lists))('%s', (_name, operation) => {
  test.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=many',
    'limit=1e2',
    'limit=0x10',
    'limit=%2010',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'offset=-1',
    'offset=x',
    'offset=',
  ])('with ?%s is 400', async (query) => {
    verifies('CO-LIST-3', 'CO-ERR-2')
    expectError(await request(operation, { query: `?${query}` }), 400, 'VALIDATION_ERROR')
  })

  test('takes limit and offset, and is 100 long without', async () => {
    verifies('CO-LIST-1', 'CO-LIST-2', 'ALL-DATA-3')
    const noun = operation.path.slice(operation.path.lastIndexOf('/') + 1)
    const whole = JSON.parse((await request(operation)).body)
    expect(whole).toEqual({
      [noun]: expect.any(Array),
      total: whole[noun].length,
      offset: 0,
      limit: 100,
    })
    const slice = JSON.parse((await request(operation, { query: '?limit=1000&offset=1' })).body)
    expect(slice).toMatchObject({ [noun]: whole[noun].slice(1), offset: 1, limit: 1000, total: whole.total })
  })
})

const withParameter = operations.filter(({ path }) => path.includes('{'))

describe.each(named(withParameter))('%s', (_name, operation) => {
  test('of something unknown is 404, and says so', async () => {
    verifies('CO-ERR-4')
    const answer = await request(operation, {
      id: 'unknown-thing',
      body: operation.types.length > 0 ? '{}' : undefined,
    })
    expectError(answer, 404, /NOT_FOUND$/)
    expect(JSON.parse(answer.body).detail).toContain('"unknown-thing"')
  })

  test(`with an encoded slash ${operation.allowsSlash ? 'is looked for' : 'is 400'}`, async () => {
    verifies(operation.allowsSlash ? 'CO-TOOL-9' : 'CO-TOOL-10')
    expect(operation.allowsSlash).toBe(operation.path.includes('/tools/{tool_name}'))
    const answer = await request(operation, {
      id: 'a%2Fb',
      body: operation.types.length > 0 ? '{}' : undefined,
    })
    if (operation.allowsSlash) expectError(answer, 404, 'TOOL_NOT_FOUND')
    else expectError(answer, 400, 'INVALID_PATH')
  })

  test.each(['..', '%2e%2e', 'a%5cb', 'a%00', '%zz', 'a;b', '%2e%2e%2fconfig'])(
    'with %s is 400',
    async (id) => {
      const answer = await request(operation, { id })
      expectError(answer, 400, 'INVALID_PATH')
    },
  )
})

describe.each(named(operations))('%s', (_name, operation) => {
  test('has a body of errors for other methods too', async () => {
    verifies('CO-ERR-1')
    const taken = operations.filter(({ path }) => path === operation.path).map(({ method }) => method)
    const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].find((other) => !taken.includes(other)) ?? ''
    expectError(await request({ ...operation, method }), 405, 'METHOD_NOT_ALLOWED')
  })

  test('refuses a query parameter that it does not have, and says which it has', async () => {
    verifies('CO-ERR-2')
    const known = operation.queries.map((name) => JSON.stringify(name))
    const answer = await request(operation, { query: '?status_filter=x' })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(JSON.parse(answer.body).detail).toBe(
      `This route has no query parameter "status_filter". It takes ${known.join(', ') || 'none'}.`,
    )
  })

  test('is described: a summary, an id and what may come back', () => {
    const { operationId, summary, responses = {} } = describeOperation(operation) ?? {}
    expect(operationId).toMatch(/^[a-z][A-Za-z]+$/)
    expect(summary).toMatch(/\w/)
    expect(Object.keys(responses).length).toBeGreaterThan(0)
  })
})

test('an address that there is not is 404', async () => {
  verifies('CO-ERR-1', 'CO-ERR-4')
  const answer = await api.call('/api/v1/nothing')
  expect(answer).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } })
})

function describeOperation({ method, path }: Operation) {
  return documented[path]?.[method.toLowerCase()]
}

interface Described {
  readonly operationId?: string
  readonly summary?: string
  readonly security?: { readonly bearer?: readonly string[] }[]
  readonly requestBody?: { readonly content: object }
  readonly parameters?: { readonly name: string; readonly in: string }[]
  readonly responses: object
  readonly 'x-encoded-slash'?: boolean
}

function readOperations(): readonly Operation[] {
  return Object.entries(documented).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      scopes: described.security?.flatMap(({ bearer = [] }) => bearer) ?? [],
      isPublic: described.security?.length === 0,
      types: Object.keys(described.requestBody?.content ?? {}),
      queries: (described.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
      allowsSlash: described['x-encoded-slash'] === true,
    })),
  )
}

interface Raw {
  readonly as?: string | null
  readonly host?: string
  readonly headers?: readonly string[]
  readonly query?: string
  readonly id?: string
  readonly type?: string
  readonly body?: string | undefined
  /** Announced, and never sent. */
  readonly length?: number
}

async function request(operation: Operation, raw: Raw = {}) {
  const answer = await sendRequest(operation, raw)
  const described = describeOperation(operation)
  if (described && !EVERYWHERE.includes(answer.status))
    expect(Object.keys(described.responses)).toContain(String(answer.status))
  return answer
}

function sendRequest({ method, path }: Operation, raw: Raw) {
  const { as = TOKEN, host = 'localhost', headers = [], query = '', id = 'unknown', type, body, length } = raw
  const sent = body ?? ''
  const announced = length ?? Buffer.byteLength(sent)
  const lines = [
    `${method} ${path.replace(/\{\w+\}/, id)}${query} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(as === null ? [] : [`Authorization: Bearer ${as}`]),
    ...(announced > 0 ? [`Content-Length: ${announced}`, `Content-Type: ${type ?? 'application/json'}`] : []),
    ...headers,
  ]
  return sendRaw(api.port, `${lines.join('\r\n')}\r\n\r\n${sent}`)
}

function expectError(
  answer: Awaited<ReturnType<typeof sendRaw>>,
  status: number,
  code: string | RegExp,
): void {
  expect(answer.status, answer.body).toBe(status)
  const { detail, error_code } = JSON.parse(answer.body)
  expect(detail).toMatch(/\w/)
  expect(error_code).toEqual(typeof code === 'string' ? code : expect.stringMatching(code))
}
