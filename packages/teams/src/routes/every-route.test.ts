import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../scopes.ts'
import { createKeys, POWERLESS, startTeams, TOKEN, tokenFor } from '../teams.fixture.ts'

const { authentication } = createKeys()
const api = await startTeams({ authentication })
afterAll(api.close)

/** Of requests that reach no route: wherever they go, they may come back. */
const EVERYWHERE = [405]

interface Described {
  readonly operationId?: string
  readonly summary?: string
  readonly security?: { readonly bearer?: readonly string[] }[]
  readonly requestBody?: { readonly content: Record<string, { schema: object }> }
  readonly responses: Record<string, DescribedAnswer>
}

interface DescribedAnswer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: object
}

interface Operation extends Described {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly isPublic: boolean
  readonly takesBody: boolean
}

const { body: document } = await api.call('GET', '/openapi.json')
const documented: Record<string, Record<string, Described>> = document.paths
const operations: readonly Operation[] = Object.entries(documented).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    ...described,
    method: method.toUpperCase(),
    path,
    scopes: described.security?.flatMap(({ bearer = [] }) => bearer) ?? [],
    isPublic: described.security?.length === 0,
    takesBody: described.requestBody !== undefined,
  })),
)
const closed = operations.filter(({ isPublic }) => !isPublic)
const named = (list: readonly Operation[]) => list.map((one) => [`${one.method} ${one.path}`, one] as const)

const ROUTES = {
  'POST /teams': 'teams:write',
  'GET /teams': 'teams:read',
  'GET /teams/{team_id}': 'teams:read',
  'PATCH /teams/{team_id}': 'teams:write',
  'DELETE /teams/{team_id}': 'teams:write',
  'POST /teams/{team_id}/start': 'teams:run',
  'POST /teams/{team_id}/stop': 'teams:run',
  'POST /teams/{team_id}/pause': 'teams:run',
  'POST /teams/{team_id}/resume': 'teams:run',
  'POST /teams/{team_id}/tasks': 'teams:write',
  'GET /teams/{team_id}/tasks': 'teams:read',
  'GET /teams/{team_id}/tasks/{task_id}': 'teams:read',
  'POST /teams/{team_id}/tasks/{task_id}/cancel': 'teams:write',
  'POST /teams/{team_id}/tasks/{task_id}/retry': 'teams:write',
  'GET /teams/{team_id}/metrics': 'teams:read',
  'GET /teams/{team_id}/events': 'teams:read',
  'GET /health': 'everybody',
  'GET /ready': 'everybody',
}
/** Others have bodies and ids of their own, which are tested where they are. */
const own = operations.filter(({ method, path }) => Object.hasOwn(ROUTES, `${method} ${path}`))

test('there are the routes of the specification and a few more, each with its scope', () => {
  verifies('TM-AUTH-3', 'TM-SVC-10')
  const there = operations.map(({ method, path, isPublic, scopes }) => [
    `${method} ${path}`,
    isPublic ? 'everybody' : scopes.join(' '),
  ])
  expect(Object.fromEntries(there)).toMatchObject(ROUTES)
  for (const scope of operations.flatMap(({ scopes }) => scopes)) expect(SCOPES).toContain(scope)
})

describe.each(named(closed))('%s', (_name, operation) => {
  test.each([
    ['no key', null],
    ['a wrong key', 'wrong-token-0123456789'],
    ['a part of the key', TOKEN.slice(0, -1)],
  ])('with %s is 401', async (_what, as) => {
    verifies('TM-AUTH-2', 'TM-ERR-1')
    const answer = await request(operation, { as })
    expectError(answer, 401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="teams"/)
  })

  test('needs its own scope, and no other will do', async () => {
    verifies('TM-AUTH-3', 'TM-ERR-1')
    // Which one, its method says: that is tested where it is.
    if (operation.operationId === 'a2aCall') return
    expect(operation.scopes).toHaveLength(1)
    const others = SCOPES.filter((scope) => !operation.scopes.includes(scope)).map(tokenFor)
    for (const as of [POWERLESS, ...others]) expectError(await request(operation, { as }), 403)
    const [scope = ''] = operation.scopes
    expect([401, 403]).not.toContain((await request(operation, { as: tokenFor(scope) })).status)
  })

  test('lets nobody in by another Host or from another page', async () => {
    verifies('TM-ERR-1')
    expectError(await request(operation, { host: 'evil.example' }), 421)
    expectError(await request(operation, { headers: ['Origin: https://evil.example'] }), 403)
  })

  test('a key in the address is refused', async () => {
    verifies('TM-ERR-1')
    expectError(await request(operation, { as: null, query: `?token=${TOKEN}` }), 400)
  })
})

describe.each(named(own.filter(({ takesBody }) => takesBody)))('the body of %s', (_name, operation) => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])(
    'as %j is 415',
    async (type) => {
      verifies('TM-ERR-1')
      expectError(await request(operation, { type, body: '{}' }), 415)
    },
  )

  test('that is too large is 413', async () => {
    verifies('TM-ERR-1')
    expectError(await request(operation, { length: 1024 * 1024 + 1 }), 413)
  })

  test.each([
    ['is cut off', '{"a":'],
    ['is blank', ' '],
    ['is no JSON', 'message=hello'],
    ['is too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`],
    ['has too many values', `[${'0,'.repeat(60_000)}0]`],
  ])('that %s is 400', async (_what, body) => {
    verifies('TM-ERR-1')
    expectError(await request(operation, { body }), 400)
  })

  test.each([
    ['is missing', undefined],
    ['is a list', '[]'],
    ['is a text', '"x"'],
    ['is null', 'null'],
    ['is a number', '1'],
    ['is empty', '{}'],
    ['has an unknown field', '{"nonsense":1}'],
    ['has a field of prototypes', '{"__proto__":{"name":"x"}}'],
  ])('that %s is 422, and says what is wrong', async (_what, body) => {
    verifies('TM-ERR-2', 'TM-ERR-1')
    const answer = await request(operation, { body })
    expectError(answer, 422)
    const { detail, errors } = JSON.parse(answer.body)
    expect(detail).toMatch(/^body\b/)
    expect(errors[0]).toEqual({ path: expect.stringMatching(/^body/), message: expect.any(String) })
    for (const { message } of errors)
      expect(message).not.toMatch(/Invalid|expected|Too (?:big|small)|Unrecognized/)
  })

  test('is described, with all that may stand in it', () => {
    const schema = operation.requestBody?.content['application/json']?.schema
    expect(JSON.stringify(schema)).toMatch(/#\/components\/schemas\//)
  })
})

describe.each(named(own.filter(({ path }) => path.includes('{'))))('%s', (_name, operation) => {
  test.each([
    ['something unknown', '0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10'],
    ['a space', 'a%20b'],
    ['an umlaut', '%C3%A4'],
    ['a face', '%F0%9F%98%80'],
    ['SQL', "'%20or%201=1--"],
    ['a prototype', '__proto__'],
    ['4000 characters', 'x'.repeat(4_000)],
  ])('of %s is 404, and says where they are listed', async (_what, id) => {
    verifies('TM-TEAM-11', 'TM-ERR-1')
    const answer = await request(operation, { id, body: VALID_BODIES[operation.operationId ?? ''] })
    expectError(answer, 404)
    expect(JSON.parse(answer.body).detail).toContain('GET /teams lists them')
  })

  test.each(['..', '%2e%2e', 'a%5cb', 'a%00', '%zz', 'a;b', 'a%2Fb', '%2e%2e%2fmetrics'])(
    'with %s is 400',
    async (id) => {
      verifies('TM-ERR-1')
      expectError(await request(operation, { id }), 400)
    },
  )
})

describe.each(named(own.filter(({ path }) => path.includes('{task_id}'))))('%s', (_name, operation) => {
  test.each(['0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10', 'a%20b', '%F0%9F%98%80', 'x'.repeat(4_000)])(
    'of the task %s is 404, and says where they are listed',
    async (taskId) => {
      verifies('TM-ERR-1')
      const { body } = await api.expectStatus(201, 'POST', '/teams', TEAM_BODY, { key: TOKEN })
      const answer = await request(operation, { id: body.team_id, taskId })
      expectError(answer, 404)
      expect(JSON.parse(answer.body).detail).toContain(`GET /teams/${body.team_id}/tasks lists`)
    },
  )
})

const TEAM_BODY = { name: 'x', execution_mode: 'parallel', members: [{ name: 'a' }] }

const VALID_BODIES: Readonly<Record<string, string>> = {
  createTeam: JSON.stringify(TEAM_BODY),
  updateTeam: '{"budget":null}',
  createTask: '{"title":"x"}',
}

describe.each(named(operations))('%s', (_name, operation) => {
  test('has the body of errors for other methods too', async () => {
    verifies('TM-ERR-1')
    const taken = operations
      .filter(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(operation.path))
      .map(({ method }) => method)
    const method = ['PUT', 'DELETE', 'PATCH'].find((other) => !taken.includes(other)) ?? ''
    expectError(await request({ ...operation, method }), 405)
  })

  test('is described: a summary, an id and what may come back', () => {
    verifies('TM-SVC-10')
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/)
    expect(operation.summary).toMatch(/\w/)
    for (const [status, answer] of Object.entries(operation.responses)) {
      const shared = answer.$ref?.replace('#/components/responses/', '') ?? ''
      const { description, content } = document.components.responses[shared] ?? answer
      expect(description, status).toMatch(/\w/)
      if (status !== '204') expect(content, status).toBeDefined()
    }
  })
})

test('the names of operations, which limits are given by, are each there once', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

interface Raw {
  readonly as?: string | null
  readonly host?: string
  readonly headers?: readonly string[]
  readonly query?: string
  readonly id?: string
  readonly taskId?: string
  readonly type?: string
  readonly body?: string | undefined
  /** Announced, and never sent. */
  readonly length?: number
}

async function request(operation: Operation, raw: Raw = {}) {
  const answer = await sendRequest(operation, raw)
  const described = documented[operation.path]?.[operation.method.toLowerCase()]
  if (described && !EVERYWHERE.includes(answer.status))
    expect(Object.keys(described.responses)).toContain(String(answer.status))
  return answer
}

function sendRequest({ method, path }: Operation, raw: Raw) {
  const { as = TOKEN, host = 'localhost', headers = [], query = '', type, body, length } = raw
  const { id = 'unknown', taskId = 'task' } = raw
  const sent = body ?? ''
  const announced = length ?? Buffer.byteLength(sent)
  const lines = [
    `${method} ${path.replace('{team_id}', id).replace(/\{\w+\}/, taskId)}${query} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(as === null ? [] : [`Authorization: Bearer ${as}`]),
    ...(announced > 0 ? [`Content-Length: ${announced}`, `Content-Type: ${type ?? 'application/json'}`] : []),
    ...headers,
  ]
  return sendRaw(api.port, `${lines.join('\r\n')}\r\n\r\n${sent}`)
}

function expectError(answer: Awaited<ReturnType<typeof sendRaw>>, status: number): void {
  expect(answer.status, answer.body).toBe(status)
  const { detail, ...rest } = JSON.parse(answer.body)
  expect(detail).toMatch(/\w/)
  expect(Object.keys(rest)).toEqual(status === 422 ? ['errors'] : [])
}
