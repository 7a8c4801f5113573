import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { SECRET, startApi } from './api.fixture.ts'

const api = await startApi()
afterAll(api.close)
beforeEach(() => {
  Object.assign(api.state, { isStoreUp: true, isStopping: false, initialized: true })
  api.servers.files = { ready: true, tools: ['read'] }
  api.servers.web = { ready: false, tools: [], error: `it said ${SECRET}` }
})

const get = (path: string, as?: null) => api.call('GET', `/api/v1/${path}`, undefined, as)

test('the configuration has agents, servers without secrets, and models with what they need', async () => {
  verifies('RT-CONFIG-1', 'RT-CONFIG-2', 'RT-CONFIG-3')
  await api.call('POST', '/api/v1/agents', { name: 'One' })
  const { body } = await get('configure/config')
  expect(body).toMatchObject({
    agents: [{ id: 'one', name: 'One', transport: 'streaming', model: 'builtin:guide' }],
    mcp_servers: [{ name: 'files', transport: 'stdio', command: 'node', env: ['TOKEN'] }],
  })
  const byId = new Map(
    body.models.map((model: { id: string; available: boolean }) => [model.id, model.available]),
  )
  expect(byId.get('builtin:guide')).toBe(true)
  expect(byId.get('openai:*')).toBe(true)
  expect(byId.get('anthropic:*')).toBe(false)
  expect(JSON.stringify(body)).not.toContain('canary')
})

test('the status of toolsets is counted, and says what went wrong without its secrets', async () => {
  verifies('RT-TOOLSET-1', 'RT-TOOLSET-2', 'RT-TOOLSET-3')
  expect((await get('configure/mcp-toolsets-status')).body).toEqual({
    initialized: true,
    ready_count: 1,
    total_count: 2,
    servers: {
      files: { ready: true, tools: ['read'], error: null },
      web: { ready: false, tools: [], error: 'it said [redacted]' },
    },
  })
})

test('the tools of toolsets come with their parameters, and with where their user interfaces are', async () => {
  verifies('RT-TOOLSET-4')
  const parameters = { type: 'object', properties: { path: { type: 'string' } } }
  expect((await get('configure/mcp-toolsets-info')).body).toEqual({
    toolsets: [
      {
        name: 'files',
        tools: [
          { name: 'read', description: 'Reads.', parameters },
          { name: 'browse', description: '', parameters, ui_resource_uri: 'ui://files/browser' },
        ],
      },
      { name: 'web', tools: [] },
    ],
  })
})

test('it is healthy, whatever else is', async () => {
  verifies('RT-HEALTH-1', 'RT-HEALTH-2')
  api.state.isStoreUp = false
  expect(await get('health', null)).toMatchObject({
    status: 200,
    body: { status: 'healthy', version: '1.2.3' },
  })
})

test('it is ready with its database and the toolsets that it needs', async () => {
  verifies('RT-HEALTH-3')
  expect(await get('ready', null)).toMatchObject({ status: 200, body: { status: 'ready' } })
})

test.each([
  [
    'the database is down',
    () => Object.assign(api.state, { isStoreUp: false }),
    'The database does not answer.',
  ],
  [
    'a toolset is down',
    () => Object.assign(api.servers, { files: { ready: false, tools: [], error: SECRET } }),
    'The toolset "files" is not ready.',
  ],
  ['it stops', () => Object.assign(api.state, { isStopping: true }), 'The service is stopping.'],
])('it is not ready while %s, and says so', async (_what, happen, reason) => {
  verifies('RT-HEALTH-4', 'RT-ERR-1')
  happen()
  const answer = await get('ready', null)
  expect(answer).toMatchObject({ status: 503 })
  expect(answer.body).toEqual({ detail: reason, status_code: 503, reasons: [reason] })
})
