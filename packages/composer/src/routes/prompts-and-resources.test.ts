import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { send, startApi } from './parts.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.sent.length = 0
  api.recorded.length = 0
  api.state.answer = ({ method }) => ({ result: Buffer.from(`{"of": "${method}"}`) })
})

test('prompts are listed', async () => {
  expect((await api.call('/api/v1/prompts')).body).toEqual({
    prompts: [
      {
        name: 'alpha:greet',
        description: 'Greets',
        arguments: [{ name: 'who', required: true }],
        server: 'alpha',
        mcp_name: api.catalog.prompts()[0]?.name,
      },
    ],
    total: 1,
    offset: 0,
    limit: 100,
  })
})

test('a prompt is got from its server', async () => {
  const name = api.catalog.prompts()[0]?.name
  const answer = await api.call(`/api/v1/prompts/${name}/get`, send('POST', { who: 'Ada' }))
  expect(answer.text).toMatch(/^\{"result":\{"of": "prompts\/get"\},"execution_time_ms":[\d.]+\}$/)
  expect(api.sent).toMatchObject([
    { server: 'alpha', method: 'prompts/get', params: { name: 'greet', arguments: { who: 'Ada' } } },
  ])
  expect(api.recorded).toMatchObject([{ method: 'prompts/get', target: 'alpha:greet', outcome: 'ok' }])
})

test('an unknown prompt is answered with those that there are', async () => {
  expect(await api.call('/api/v1/prompts/none/get', send('POST', {}))).toMatchObject({
    status: 404,
    body: { detail: 'There is no prompt "none". Known: "alpha:greet".' },
  })
})

test('resources are listed', async () => {
  expect((await api.call('/api/v1/resources')).body).toEqual({
    resources: [
      { uri: 'file:///notes', name: 'notes', description: '', mime_type: 'text/plain', server: 'alpha' },
    ],
    total: 1,
    offset: 0,
    limit: 100,
  })
})

test('a resource is read from its server', async () => {
  const answer = await api.call('/api/v1/resources/read', send('POST', { uri: 'file:///notes' }))
  expect(answer.body.result).toEqual({ of: 'resources/read' })
  expect(api.sent).toMatchObject([
    { server: 'alpha', method: 'resources/read', params: { uri: 'file:///notes' } },
  ])
  expect(api.recorded).toMatchObject([{ method: 'resources/read', target: 'file:///notes', server: 'alpha' }])
})

test.each([[{}], [{ uri: '' }], [{ uri: 1 }], [{ uri: 'a', more: 1 }], [{ uri: 'x'.repeat(8193) }]])(
  'reading %j is 400',
  async (body) => {
    expect((await api.call('/api/v1/resources/read', send('POST', body))).status).toBe(400)
    expect(api.sent).toEqual([])
  },
)

test.each([-32002, -32602])('a resource that its server does not have (%i) is 404', async (code) => {
  verifies('CO-ERR-4')
  api.state.answer = () => ({ error: { code, message: 'Resource not found' } })
  expect(await api.call('/api/v1/resources/read', send('POST', { uri: 'file:///none' }))).toMatchObject({
    status: 404,
    body: { error_code: 'NOT_FOUND', detail: expect.stringContaining('Resource not found') },
  })
})
