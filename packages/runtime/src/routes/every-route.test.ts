import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../scopes.ts'
import { POWERLESS, startApi, TOKEN, tokenFor } from './api.fixture.ts'

const api = await startApi()
afterAll(api.close)

/** Of requests that reach no route: wherever they go, they may come back. */
const EVERYWHERE = [405, 421]

interface Described {
  readonly operationId?: string
  readonly summary?: string
  readonly security?: { readonly bearer?: readonly string[] }[]
  readonly requestBody?: { readonly content: object }
  readonly parameters?: { readonly name: string; readonly in: string }[]
  readonly responses: object
}

interface Operation extends Described {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly isPublic: boolean
  readonly takesBody: boolean
}

const document = api.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } })
/** Its own types know no names of paths. */
const documented = document.paths as Record<string, Record<string, Described>>
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

test('there are the routes of the specification and a few more, each with its scope', () => {
  verifies('RT-SVC-1', 'RT-AUTH-8')
  const there = operations.map(({ method, path, isPublic, scopes }) => [
    `${method} ${path}`,
    isPublic ? 'everybody' : scopes.join(' '),
  ])
  expect(Object.fromEntries(there)).toMatchObject(ROUTES)
  for (const { path } of operations) expect(path).toMatch(/^\/api\/v1\//)
  for (const scope of operations.flatMap(({ scopes }) => scopes)) expect(SCOPES).toContain(scope)
})

const ROUTES = {
  'GET /api/v1/agents': 'agents:read',
  'GET /api/v1/agents/{agent_id}': 'agents:read',
  'POST /api/v1/agents': 'agents:write',
  'PUT /api/v1/agents/{agent_id}': 'agents:write',
  'DELETE /api/v1/agents/{agent_id}': 'agents:write',
  'POST /api/v1/agents/{agent_id}/prompt': 'agents:prompt',
  'POST /api/v1/agents/{agent_id}/prompt/sync': 'agents:prompt',
  'GET /api/v1/conversations': 'agents:read',
  'GET /api/v1/conversations/{conversation_id}': 'agents:read',
  'DELETE /api/v1/conversations/{conversation_id}': 'agents:prompt',
  'GET /api/v1/conversations/{conversation_id}/stream': 'agents:prompt',
  'POST /api/v1/conversations/{conversation_id}/cancel': 'agents:prompt',
  'POST /api/v1/conversations/{conversation_id}/approvals/{call_id}': 'agents:prompt',
  'GET /api/v1/configure/config': 'agents:read',
  'GET /api/v1/configure/mcp-toolsets-status': 'agents:read',
  'GET /api/v1/configure/mcp-toolsets-info': 'agents:read',
  'GET /api/v1/health': 'everybody',
  'GET /api/v1/ready': 'everybody',
}

describe.each(named(closed))('%s', (_name, operation) => {
  test.each([
    ['no key', null],
    ['a wrong key', 'wrong-token-0123456789'],
    ['a part of the key', TOKEN.slice(0, -1)],
  ])('with %s is 401', async (_what, as) => {
    verifies('RT-AUTH-2', 'RT-ERR-1')
    const answer = await request(operation, { as })
    expectError(answer, 401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="runtime"/)
  })

  test('needs its own scope, and no other will do', async () => {
    verifies('RT-AUTH-8', 'RT-ERR-1')
    const others = SCOPES.filter((scope) => !operation.scopes.includes(scope)).map(tokenFor)
    for (const as of [POWERLESS, ...others]) expectError(await request(operation, { as }), 403)
    const [scope = ''] = operation.scopes
    expect([401, 403]).not.toContain((await request(operation, { as: tokenFor(scope) })).status)
  })

  test('lets nobody in by another Host or from another page', async () => {
    verifies('RT-ERR-1')
    expectError(await request(operation, { host: 'evil.example' }), 421)
    expectError(await request(operation, { headers: ['Origin: https://evil.example'] }), 403)
  })

  test('a key in the address is refused', async () => {
    verifies('RT-ERR-1')
    expectError(await request(operation, { as: null, query: `?token=${TOKEN}` }), 400)
  })
})

/** The others have bodies and ids of their own, which are tested where they are. */
const own = operations.filter(({ method, path }) => Object.hasOwn(ROUTES, `${method} ${path}`))

describe.each(named(own.filter(({ takesBody }) => takesBody)))('the body of %s', (_name, operation) => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])(
    'as %j is 415',
    async (type) => {
      verifies('RT-SVC-4', 'RT-ERR-4', 'RT-ERR-1')
      expectError(await request(operation, { type, body: '{}' }), 415)
    },
  )

  test('that is too large is 413', async () => {
    verifies('RT-ERR-1')
    expectError(await request(operation, { length: 1024 * 1024 + 1 }), 413)
  })

  test.each([
    ['is cut off', '{"a":'],
    ['is blank', ' '],
    ['is no JSON', 'message=hello'],
    ['is too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`],
    ['has too many values', `[${'0,'.repeat(60_000)}0]`],
  ])('that %s is 400', async (_what, body) => {
    verifies('RT-ERR-3', 'RT-ERR-1')
    expectError(await request(operation, { body }), 400)
  })

  test.each([
    ['is missing', undefined],
    ['is a list', '[]'],
    ['is a text', '"x"'],
    ['is null', 'null'],
    ['is a number', '1'],
    ['has an unknown field', '{"nonsense":1}'],
  ])('that %s is 422, and says what is wrong', async (_what, body) => {
    verifies('RT-ERR-5', 'RT-ERR-6', 'RT-ERR-1')
    // No body at all is no change of an agent.
    if (body === undefined && operation.operationId === 'updateAgent') return
    const answer = await request(operation, { body })
    expectError(answer, 422)
    const { detail, errors } = JSON.parse(answer.body)
    expect(detail).toMatch(/^body\b/)
    expect(errors[0]).toEqual({ path: expect.stringMatching(/^body/), message: expect.any(String) })
    for (const { message } of errors)
      expect(message).not.toMatch(/Invalid|expected|Too (?:big|small)|Unrecognized/)
  })
})

const withParameter = own.filter(({ path }) => path.includes('{'))

describe.each(named(withParameter))('%s', (_name, operation) => {
  test.each([
    ['something unknown', 'unknown-thing'],
    ['a space', 'a%20b'],
    ['an umlaut', '%C3%A4'],
    ['a face', '%F0%9F%98%80'],
    ['SQL', "'%20or%201=1--"],
    ['4000 characters', 'x'.repeat(4_000)],
  ])('of %s is 404, and says so', async (_what, id) => {
    verifies('RT-ERR-1')
    const answer = await request(operation, { id, body: VALID_BODIES[operation.operationId ?? ''] })
    // Nobody is asked whether the agent of a prompt exists but the turns, which are played here.
    if (operation.operationId?.startsWith('promptAgent') && id === 'unknown-thing') return
    expectError(answer, 404)
  })

  test.each(['..', '%2e%2e', 'a%5cb', 'a%00', '%zz', 'a;b', 'a%2Fb', '%2e%2e%2fconfig'])(
    'with %s is 400',
    async (id) => {
      verifies('RT-ERR-1')
      expectError(await request(operation, { id }), 400)
    },
  )
})

const VALID_BODIES: Readonly<Record<string, string>> = {
  createAgent: '{"name":"x"}',
  updateAgent: '{}',
  promptAgent: '{"message":"x"}',
  promptAgentSync: '{"message":"x"}',
  decideToolCall: '{"approved":true}',
}

describe.each(named(operations))('%s', (_name, operation) => {
  test('has the body of errors for other methods too', async () => {
    verifies('RT-ERR-1')
    const taken = operations
      .filter(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(operation.path))
      .map(({ method }) => method)
    const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].find((other) => !taken.includes(other)) ?? ''
    expectError(await request({ ...operation, method }), 405)
  })

  test('is described: a summary, an id and what may come back', () => {
    verifies('RT-DOCS-3')
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/)
    expect(operation.summary).toMatch(/\w/)
    expect(Object.keys(operation.responses).length).toBeGreaterThan(0)
  })
})

test('the names of operations, which limits are given by, are each there once', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(
    expect.arrayContaining([
      'listAgents',
      'getAgent',
      'createAgent',
      'updateAgent',
      'deleteAgent',
      'promptAgent',
      'promptAgentSync',
      'listConversations',
      'getConversation',
      'deleteConversation',
      'joinConversation',
      'cancelConversation',
      'decideToolCall',
      'getConfiguration',
      'getToolsetsStatus',
      'getToolsetsInfo',
      'health',
      'ready',
    ]),
  )
})

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
  const described = documented[operation.path]?.[operation.method.toLowerCase()]
  if (described && !EVERYWHERE.includes(answer.status))
    expect(Object.keys(described.responses)).toContain(String(answer.status))
  return answer
}

function sendRequest({ method, path }: Operation, raw: Raw) {
  const { as = TOKEN, host = 'localhost', headers = [], query = '', id = 'unknown', type, body, length } = raw
  const sent = body ?? ''
  const announced = length ?? Buffer.byteLength(sent)
  const lines = [
    `${method} ${path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, 'call')}${query} HTTP/1.1`,
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
  const { detail, status_code, ...rest } = JSON.parse(answer.body)
  expect(detail).toMatch(/\w/)
  expect(status_code).toBe(status)
  expect(Object.keys(rest)).toEqual(status === 422 ? ['errors'] : [])
}
