import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { send, startApi } from './parts.fixture.ts'
import { createFixtureServer, stdio, tool } from './server.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.state.view = undefined
})

const names = async (query = '') =>
  (await api.call(`/api/v1/tools${query}`)).body.tools.map(({ name }: { name: string }) => name)

describe('GET /tools', () => {
  test('lists those of all servers that run', async () => {
    verifies('CO-TOOL-1', 'CO-TOOL-2')
    expect(await names()).toEqual(['alpha:add', 'alpha:read/file', 'beta:add'])
    api.servers.beta.become('stopped')
    expect(await names()).toEqual(['alpha:add', 'alpha:read/file'])
    api.servers.beta.become('running')
  })

  test('filters by server', async () => {
    verifies('CO-TOOL-4')
    expect(await names('?server=beta')).toEqual(['beta:add'])
    expect(await names('?server=omega')).toEqual([])
  })

  test('searches by name and by description', async () => {
    verifies('CO-TOOL-5')
    expect(await names('?search=file')).toEqual(['alpha:read/file'])
    expect(await names('?search=as%20well')).toEqual(['beta:add'])
    expect(await names('?search=nothing-like-it')).toEqual([])
    expect((await api.call(`/api/v1/tools?search=${'x'.repeat(257)}`)).status).toBe(400)
  })

  test('takes limit and offset, and tells how many there are', async () => {
    verifies('CO-TOOL-6', 'CO-TOOL-7', 'CO-LIST-1', 'ALL-DATA-3')
    const { body } = await api.call('/api/v1/tools?limit=1&offset=1')
    expect(body).toMatchObject({ tools: [{ name: 'alpha:read/file' }], total: 3, offset: 1, limit: 1 })
    expect(await names('?offset=3')).toEqual([])
  })

  test('gives 100 where nobody says how many, and 1000 at the most', async () => {
    verifies('CO-TOOL-6', 'CO-LIST-2')
    const many = await startApi()
    try {
      const tools = Array.from({ length: 150 }, (_, index) => tool(`t${index}`))
      const crowd = createFixtureServer(stdio('gamma', ['node']), { tools }, many.catalog.update)
      crowd.become('running')
      const first = (await many.call('/api/v1/tools?server=gamma')).body
      expect([first.tools.length, first.total, first.limit]).toEqual([100, 150, 100])
      expect((await many.call('/api/v1/tools?server=gamma&limit=1000')).body.tools).toHaveLength(150)
    } finally {
      await many.close()
    }
  })

  test('shows only what the caller may see', async () => {
    api.state.view = {
      key: 'beta',
      allowsTool: ({ server }) => server === 'beta',
      allows: () => true,
      mayAllow: () => true,
    }
    expect(await names()).toEqual(['beta:add'])
    expect((await api.call('/api/v1/tools/alpha:add')).status).toBe(404)
  })
})

describe('GET /tools/{tool_name}', () => {
  test('shows a tool as its server wrote it', async () => {
    verifies('CO-TOOL-3', 'CO-TOOL-8', 'CO-TOOL-2')
    expect((await api.call('/api/v1/tools/alpha:add')).body).toEqual({
      name: 'alpha:add',
      title: 'Adder',
      description: 'Adds two numbers',
      input_schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      output_schema: { type: 'object' },
      annotations: { readOnlyHint: true },
      server: 'alpha',
      mcp_name: 'alpha__add',
      trust: 'known',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await api.call('/api/v1/tools/beta:add')).body).toEqual({
      name: 'beta:add',
      description: 'Adds as well',
      input_schema: { type: 'object' },
      server: 'beta',
      mcp_name: 'beta__add',
      trust: 'known',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('takes its name on MCP and an alias as well', async () => {
    verifies('CO-MCP-5')
    for (const name of ['alpha__add', 'plus', 'alpha%3Aadd'])
      expect((await api.call(`/api/v1/tools/${name}`)).body.name).toBe('alpha:add')
  })

  test('takes a name with a slash, written as %2F', async () => {
    verifies('CO-TOOL-9')
    expect((await api.call('/api/v1/tools/alpha:read%2Ffile')).body.name).toBe('alpha:read/file')
    expect((await api.call('/api/v1/tools/alpha:read%2ffile/')).body.name).toBe('alpha:read/file')
    expect((await api.call('/api/v1/tools/alpha:read/file')).status).toBe(404)
  })

  test('of an unknown tool says what is close to it', async () => {
    verifies('CO-ERR-4')
    const { status, body } = await api.call('/api/v1/tools/alpha:adding')
    expect([status, body.error_code]).toEqual([404, 'TOOL_NOT_FOUND'])
    expect(body.detail).toBe(
      'There is no tool "alpha:adding". Did you mean "alpha:add", "alpha:read/file", "beta:add"?',
    )
    expect((await api.call('/api/v1/tools/gamma:wait')).body.detail).toContain('Its server is stopped.')
    const long = (await api.call(`/api/v1/tools/${'x'.repeat(1000)}`)).body.detail
    expect(long.length).toBeLessThan(250)
  })
})

describe('POST /tools/{tool_name}/approve', () => {
  test('takes a changed definition for good', async () => {
    const changed = createFixtureServer(
      stdio('alpha', ['node']),
      { tools: [tool('add', { description: 'Adds, and more' })] },
      api.catalog.update,
    )
    changed.become('running')
    const { hash, trust, description, approved_definition } = (await api.call('/api/v1/tools/alpha:add')).body
    expect([trust, description]).toEqual(['changed', 'Adds, and more'])
    expect(approved_definition).toMatchObject({
      name: 'add',
      title: 'Adder',
      description: 'Adds two numbers',
    })
    const { status, body } = await api.call('/api/v1/tools/alpha__add/approve', send('POST', { hash }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      message: 'The tool "alpha:add" may be called.',
      tool: { name: 'alpha:add', description: 'Adds, and more', trust: 'known' },
    })
    expect((await api.call('/api/v1/tools/alpha:add')).body).not.toHaveProperty('approved_definition')
    expect(api.recorded.at(-1)).toMatchObject({ method: 'tools/approve', target: 'alpha:add', outcome: 'ok' })
  })

  test('approves only the definition that somebody has looked at', async () => {
    const offerAdd = (description: string) =>
      createFixtureServer(
        stdio('alpha', ['node']),
        { tools: [tool('add', { description })] },
        api.catalog.update,
      ).become('running')
    const look = async () => (await api.call('/api/v1/tools/alpha:add')).body
    offerAdd('Looked at')
    const { hash } = await look()
    offerAdd('Changed in the meantime')
    const now = await look()
    expect(now).toMatchObject({ trust: 'changed', hash: expect.not.stringMatching(hash) })
    for (const body of [{ hash }, { hash: '' }, { hash: now.hash.slice(1) }, { hash: 7 }, [], 'x'])
      expect(await api.call('/api/v1/tools/alpha:add/approve', send('POST', body))).toMatchObject({
        status: 400,
        body: { error_code: 'VALIDATION_ERROR' },
      })
    const stale = (await api.call('/api/v1/tools/alpha:add/approve', send('POST', { hash }))).body
    expect(stale.detail).toContain('Look at it again with GET /tools/alpha%3Aadd')
    for (const request of [{ method: 'POST' }, send('POST', {})]) {
      const missing = await api.call('/api/v1/tools/alpha:add/approve', request)
      expect([missing.status, missing.body.error_code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(missing.body.detail).toContain(`{"hash": "${now.hash}"}`)
    }
    expect(api.recorded.at(-1)).toMatchObject({ target: 'alpha:add', outcome: 'VALIDATION_ERROR' })
    expect((await look()).trust).toBe('changed')
  })
})
