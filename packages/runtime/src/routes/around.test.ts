import { verifies } from '@quire/spec/verifies'
import { afterAll, expect, test } from 'vitest'
import { startApi } from './api.fixture.ts'

const api = await startApi()
afterAll(api.close)

test.each(['/', '/api', '/api/v1', '/api/v1/nothing', '/api/v2/agents', '/agents', '/api/v1/agents/a/b'])(
  'there is nothing at %s',
  async (path) => {
    verifies('RT-ERR-1', 'RT-ERR-2')
    expect(await api.call('GET', path)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(path), status_code: 404 },
    })
  },
)

test.each(['/docs', '/redoc', '/openapi.json', '/api/v1/health'])('%s is for everybody', async (path) => {
  verifies('RT-DOCS-1', 'RT-DOCS-2', 'RT-DOCS-3')
  const answer = await api.call('GET', path, undefined, null)
  expect(answer.status).toBe(200)
  if (path === '/openapi.json')
    expect(Object.keys(answer.body.paths)).toEqual(
      expect.arrayContaining(['/api/v1/agents/{agent_id}/prompt']),
    )
  else if (path !== '/api/v1/health') expect(answer.body).toMatch(/<script[^>]+(?:swagger|redoc)/)
})

test('metrics are Prometheus text, for whoever has a key', async () => {
  verifies('RT-SVC-5')
  expect((await api.call('GET', '/metrics', undefined, null)).status).toBe(401)
  const answer = await api.call('GET', '/metrics')
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(answer.body).toMatch(/^http_requests_total\{.*service="runtime"/m)
})

test('a slash at the end changes nothing', async () => {
  expect((await api.call('GET', '/api/v1/agents/')).status).toBe(200)
  expect((await api.call('GET', '/api/v1/health/', undefined, null)).status).toBe(200)
})

test('what is mounted under a prefix lists addresses with it', async () => {
  const mounted = await startApi({ publicUrl: '/runtime' })
  try {
    await mounted.call('POST', '/api/v1/agents', { name: 'Ada' })
    for (const name of ['ag-ui', 'vercel-ai', 'a2a', 'a2ui', 'mcp-ui']) {
      const { body: root } = await mounted.call('GET', `/api/v1/${name}`)
      const { body: list } = await mounted.call('GET', `/api/v1/${name}/agents`)
      const { endpoint, chat_endpoint, stream_endpoint } = list.agents[0]
      const listed = [endpoint, chat_endpoint, stream_endpoint].filter((one) => one !== undefined)
      expect(listed.length).toBeGreaterThan(0)
      for (const address of [...Object.values(root.endpoints), ...listed])
        expect(address).toMatch(new RegExp(`^/runtime/api/v1/${name}/`))
    }
    const { body } = await mounted.call('GET', '/api/v1/a2a/agents')
    expect(body.agents[0].card_url).toBe(
      `${mounted.url}/runtime/api/v1/a2a/agents/ada/.well-known/agent-card.json`,
    )
  } finally {
    await mounted.close()
  }
})
