import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startApi } from './parts.fixture.ts'
import { failure } from './server.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.state.isReady = true
  api.state.view = undefined
  api.servers.alpha.become('running')
  api.servers.beta.become('running')
  api.servers.gamma.become('stopped')
})

describe('GET /health', () => {
  test.each([
    ['healthy', () => undefined],
    ['degraded', () => api.servers.beta.become('stopped')],
    [
      'unhealthy',
      () => {
        api.servers.alpha.become('crashed', { lastError: failure('ended') })
        api.servers.beta.become('stopped')
      },
    ],
  ])('answers everybody, and is %s', async (status, prepare) => {
    verifies('CO-STATUS-1')
    prepare()
    const answer = await api.call('/api/v1/health', { as: null })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ status, version: '1.2.3', uptime_seconds: 42 })
  })

  test('is 503 only until a configuration is applied', async () => {
    verifies('CO-STATUS-2', 'CO-ERR-1')
    api.state.isReady = false
    const before = await api.call('/api/v1/health', { as: null })
    expect(before.status).toBe(503)
    expect(before.body).toMatchObject({
      status: 'unhealthy',
      version: '1.2.3',
      detail: expect.stringMatching(/configuration/),
      error_code: 'NOT_READY',
    })
    api.state.isReady = true
    for (const server of Object.values(api.servers)) server.become('crashed')
    expect(await api.call('/api/v1/health', { as: null })).toMatchObject({
      status: 200,
      body: { status: 'unhealthy' },
    })
  })
})

test('GET /version tells the versions', async () => {
  verifies('CO-STATUS-3')
  expect((await api.call('/api/v1/version')).body).toEqual({
    version: '1.2.3',
    api_version: 'v1',
    node_version: process.version,
    platform: process.platform,
  })
})

test('GET /status counts servers and what they offer', async () => {
  verifies('CO-STATUS-4')
  api.servers.beta.become('crashed', { retryInMs: 500 })
  expect((await api.call('/api/v1/status')).body).toEqual({
    status: 'degraded',
    servers: { total: 3, running: 1, stopped: 1, crashed: 1, starting: 0, stopping: 0 },
    capabilities: { tools: 2, prompts: 1, resources: 1 },
    uptime_seconds: 42,
  })
})

test('GET /status counts the tools that the caller may see', async () => {
  api.state.view = {
    key: 'adders',
    allowsTool: ({ item }) => item.name === 'add',
    allows: () => true,
    mayAllow: () => true,
  }
  expect((await api.call('/api/v1/status')).body.capabilities.tools).toBe(2)
  api.state.view = undefined
  expect((await api.call('/api/v1/status')).body.capabilities.tools).toBe(3)
})

test('GET /status/composition tells what each server brings', async () => {
  verifies('CO-STATUS-5')
  const { body } = await api.call('/api/v1/status/composition')
  expect(body).toEqual({
    servers: [
      { name: 'alpha', state: 'running', tools_count: 2, prompts_count: 1, resources_count: 1 },
      { name: 'beta', state: 'running', tools_count: 1, prompts_count: 0, resources_count: 0 },
      { name: 'gamma', state: 'stopped', tools_count: 0, prompts_count: 0, resources_count: 0 },
    ],
    conflicts: api.catalog.conflicts(),
    conflict_resolution: 'prefix',
    total_tools: 3,
    total_prompts: 1,
    total_resources: 1,
  })
})

describe('the counts', () => {
  test('GET /status/metrics has them as an object', async () => {
    verifies('CO-STATUS-6')
    await api.call('/api/v1/tools/alpha:add/invoke', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const { body } = await api.call('/api/v1/status/metrics')
    expect(body).toEqual({
      type: 'metrics',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      http_requests_total: expect.any(Number),
      tool_invocations_total: 1,
      tool_errors_total: 0,
      server_restarts_total: 0,
      servers_running: 2,
      tools_total: 3,
      cpu_percent: expect.any(Number),
      memory_percent: expect.any(Number),
      uptime_seconds: 42,
    })
    expect((await api.call('/api/v1/status/metrics')).body.http_requests_total).toBe(
      body.http_requests_total + 1,
    )
  })

  test('GET /metrics has them as Prometheus text, for whoever has a token', async () => {
    verifies('CO-SVC-5')
    expect((await api.call('/metrics', { as: null })).status).toBe(401)
    const { headers, text } = await api.call('/metrics')
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=/)
    expect(text).toContain('mcp_servers_running{service="composer"} 2')
    expect(text).toMatch(
      /mcp_tool_invocations_total\{tool_id="alpha:add",status="success",service="composer"\} 1/,
    )
    expect(text).toMatch(/http_requests_total\{method="GET",route="\/api\/v1\/status\/metrics",status="2xx"/)
  })
})

test.each(['/docs', '/redoc', '/openapi.json'])('%s is there for everybody', async (path) => {
  verifies('CO-SVC-6')
  expect((await api.call(path, { as: null })).status).toBe(200)
})

test('another prefix moves the whole API', async () => {
  verifies('CO-SVC-2')
  const elsewhere = await startApi({ prefix: '/tools-api/v9' })
  try {
    expect((await elsewhere.call('/tools-api/v9/health')).body.status).toBe('healthy')
    expect((await elsewhere.call('/tools-api/v9/tools/alpha:add')).body.name).toBe('alpha:add')
    expect((await elsewhere.call('/tools-api/v9/status', { as: null })).status).toBe(401)
    expect((await elsewhere.call('/api/v1/health')).status).toBe(404)
  } finally {
    await elsewhere.close()
  }
})

test('what nobody foresaw is a plain 500, and its cause stays in the log', async () => {
  verifies('CO-ERR-7', 'CO-ERR-1')
  api.state.answer = () => {
    throw new Error('the cause of it')
  }
  const answer = await api.call('/api/v1/tools/beta:add/invoke', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer).toMatchObject({ status: 500, body: { error_code: 'INTERNAL_ERROR' } })
  expect(answer.text).not.toContain('the cause of it')
  expect(api.log.join('')).toContain('the cause of it')
})
