import { verifies } from '@quire/spec/verifies'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningApi, send, startApi } from './parts.fixture.ts'

let api: RunningApi
beforeEach(async () => {
  api = await startApi()
})
afterEach(() => api.close())

const PATH = '/api/v1/translators'
const ONE = { type: 'stdio-to-http', name: 'one', command: ['node', 'server.js'] }

test('a translator is made, listed and ended', async () => {
  verifies('CO-TRANS-1', 'CO-TRANS-2', 'CO-TRANS-3', 'CO-TRANS-4', 'CO-LIST-1')
  const made = await api.call(PATH, send('POST', ONE))
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: 'id-of-one',
    name: 'one',
    type: 'stdio-to-http',
    status: 'running',
    endpoint: '/translators/id-of-one/mcp',
    created_at: '2026-11-15T10:00:00.000Z',
  })
  expect((await api.call(PATH)).body).toEqual({ translators: [made.body], total: 1, offset: 0, limit: 100 })
  const ended = await api.call(`${PATH}/id-of-one`, { method: 'DELETE' })
  expect([ended.status, ended.text]).toEqual([204, ''])
  expect((await api.call(PATH)).body.translators).toEqual([])
  expect(await api.call(`${PATH}/id-of-one`, { method: 'DELETE' })).toMatchObject({
    status: 404,
    body: { error_code: 'TRANSLATOR_NOT_FOUND' },
  })
  expect(api.recorded.map(({ method, outcome }) => [method, outcome])).toEqual([
    ['translators/create', 'ok'],
    ['translators/delete', 'ok'],
    ['translators/delete', 'TRANSLATOR_NOT_FOUND'],
  ])
})

test('a second one of the same name is 400', async () => {
  verifies('CO-TRANS-9')
  await api.call(PATH, send('POST', ONE))
  expect(await api.call(PATH, send('POST', ONE))).toMatchObject({
    status: 400,
    body: { error_code: 'TRANSLATOR_EXISTS' },
  })
})

describe('POST /translators', () => {
  test.each([
    [{ ...ONE, command: 'node', args: ['server.js'], env: { A: 'b' }, working_dir: '/srv' }],
    [{ type: 'sse-to-http', name: 'two', url: 'http://localhost:1/sse', headers: { authorization: 'x' } }],
    [{ type: 'http-to-stdio', name: 'three.3', url: 'http://localhost:1/mcp' }],
  ])('takes %j', async (body) => {
    expect((await api.call(PATH, send('POST', body))).status).toBe(201)
  })

  test.each([
    [{}],
    [{ ...ONE, type: 'http-to-http' }],
    [{ ...ONE, name: '' }],
    [{ ...ONE, name: '../x' }],
    [{ ...ONE, name: 'a/b' }],
    [{ ...ONE, name: 'x'.repeat(65) }],
    [{ ...ONE, command: [] }],
    [{ ...ONE, command: '' }],
    [{ ...ONE, command: [1] }],
    [{ ...ONE, env: { A: 1 } }],
    [{ ...ONE, shell: true }],
    [{ type: 'sse-to-http', name: 'two' }],
    [{ type: 'http-to-stdio', name: 'two', url: 'http://x', command: 'node' }],
  ])('refuses %j', async (body) => {
    expect(await api.call(PATH, send('POST', body))).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_ERROR' },
    })
    expect(api.translators.list()).toEqual([])
  })
})
