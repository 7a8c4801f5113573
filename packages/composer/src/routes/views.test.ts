import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccess } from '../access/access.ts'
import { send, startApi, TOKEN, tokenFor } from './parts.fixture.ts'
import { failure } from './server.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.sent.length = 0
  api.recorded.length = 0
  api.state.view = undefined
  api.servers.alpha.become('running', { lastError: failure('the secret of alpha') })
  api.servers.gamma.become('stopped', { lastError: null })
})

/** From here on the caller has a role with these patterns. */
function restrict(...tools: string[]): void {
  const roles = [{ name: 'default', tools, scopes: [] }]
  api.state.view = createAccess({ enabled: true, roles, rateLimit: undefined }).viewOf(undefined)
}

const greet = '/api/v1/prompts/alpha:greet/get'
const read = (uri: string) => api.call('/api/v1/resources/read', send('POST', { uri }))

describe.each<{ role: string[]; prompts: string[]; resources: string[]; readable: string[] }>([
  {
    role: ['*'],
    prompts: ['alpha:greet'],
    resources: ['file:///notes'],
    readable: ['file:///notes', 'file:///x/../y', 'other://x'],
  },
  {
    role: ['alpha:*'],
    prompts: ['alpha:greet'],
    resources: ['file:///notes'],
    readable: ['file:///notes', 'file:///x/../y', 'other://x'],
  },
  { role: ['alpha:g*'], prompts: ['alpha:greet'], resources: [], readable: [] },
  { role: ['alpha:file:*'], prompts: [], resources: ['file:///notes'], readable: ['file:///notes'] },
  { role: ['alpha:other://*'], prompts: [], resources: [], readable: ['other://x'] },
  { role: ['alpha:add', 'beta:*'], prompts: [], resources: [], readable: [] },
  { role: [], prompts: [], resources: [], readable: [] },
])('with the patterns $role', ({ role, prompts, resources, readable }) => {
  beforeEach(() => restrict(...role))

  test('GET /prompts and GET /resources show what they name', async () => {
    const listed = (await api.call('/api/v1/prompts')).body
    expect(listed.prompts.map(({ name }: { name: string }) => name)).toEqual(prompts)
    expect(listed.total).toBe(prompts.length)
    const found = (await api.call('/api/v1/resources')).body
    expect(found.resources.map(({ uri }: { uri: string }) => uri)).toEqual(resources)
    expect(found.total).toBe(resources.length)
  })

  test.each(['alpha:greet', 'alpha__greet'])('the prompt %s is got only where it is shown', async (name) => {
    expect(api.catalog.findPrompt(name)).toBeDefined()
    const answer = await api.call(`/api/v1/prompts/${name}/get`, send('POST', {}))
    if (prompts.length > 0) expect(answer.status).toBe(200)
    else
      expect(answer).toMatchObject({
        status: 404,
        body: { error_code: 'NOT_FOUND', detail: `There is no prompt "${name}". Known: none.` },
      })
    expect(api.sent).toHaveLength(prompts.length)
  })

  test.each(['file:///notes', 'file:///x/../y', 'other://x'])(
    '%s is read only where it is named',
    async (uri) => {
      const answer = await read(uri)
      const isReadable = readable.includes(uri)
      if (isReadable) expect(answer.status).toBe(200)
      else
        expect(answer).toMatchObject({
          status: 404,
          body: {
            error_code: 'NOT_FOUND',
            detail: `No server has the resource "${uri}". GET /resources lists those that there are.`,
          },
        })
      expect(api.sent).toHaveLength(isReadable ? 1 : 0)
    },
  )
})

test('what was refused is on record, without the server that has it', async () => {
  restrict('beta:*')
  await api.call(greet, send('POST', {}))
  await read('file:///notes')
  expect(api.recorded).toMatchObject([
    { method: 'prompts/get', target: 'alpha:greet', outcome: 'NOT_FOUND' },
    { method: 'resources/read', target: 'file:///notes', outcome: 'NOT_FOUND' },
  ])
  for (const entry of api.recorded) expect(entry.server).toBeUndefined()
})

const READER = tokenFor('tools:list')

describe.each<{ role: string[]; sees: string[]; tools: number }>([
  { role: ['*'], sees: ['alpha', 'beta', 'gamma'], tools: 3 },
  { role: ['beta:*'], sees: ['beta'], tools: 1 },
  { role: ['alpha:add', 'gamma:*'], sees: ['alpha', 'gamma'], tools: 1 },
  { role: ['alpha:greet'], sees: ['alpha'], tools: 0 },
  { role: ['alpha:other*', 'beta:other'], sees: [], tools: 0 },
  // What a server that is stopped will offer is not known.
  { role: ['*:wait'], sees: ['gamma'], tools: 0 },
  { role: [], sees: [], tools: 0 },
])('of servers, the patterns $role', ({ role, sees, tools }) => {
  beforeEach(() => restrict(...role))

  test('show those of which they name something', async () => {
    const { body } = await api.call('/api/v1/servers', { as: READER })
    expect(body.servers.map(({ name }: { name: string }) => name)).toEqual(sees)
    expect(body.total).toBe(sees.length)
    expect((await api.call('/api/v1/status', { as: READER })).body).toMatchObject({
      servers: { total: sees.length },
      capabilities: { tools },
    })
  })

  test('leave the composition without all others', async () => {
    const { body, text } = await api.call('/api/v1/status/composition', { as: READER })
    expect(body.servers.map(({ name }: { name: string }) => name)).toEqual(sees)
    expect(body.total_tools).toBe(tools)
    for (const name of ['alpha', 'beta', 'gamma']) if (!sees.includes(name)) expect(text).not.toContain(name)
    expect(body.conflicts).toEqual(role.includes('*') ? api.catalog.conflicts() : [])
  })

  test.each(['alpha', 'beta', 'gamma'])(
    'answer for %s as for one that does not exist, or show it',
    async (name) => {
      const one = await api.call(`/api/v1/servers/${name}`, { as: READER })
      if (sees.includes(name)) return expect(one).toMatchObject({ status: 200, body: { name } })
      const missing = await api.call('/api/v1/servers/ghost', { as: READER })
      expect(one.status).toBe(404)
      expect(one.text).toBe(missing.text.replace('ghost', name))
    },
  )

  test('show who manages servers that they are there, and no more', async () => {
    const { body } = await api.call('/api/v1/servers', { as: TOKEN })
    expect(body.total).toBe(3)
    for (const name of ['alpha', 'beta', 'gamma']) {
      const { body: one, text } = await api.call(`/api/v1/servers/${name}`, { as: TOKEN })
      expect(one).toMatchObject({ name, state: name === 'gamma' ? 'stopped' : 'running' })
      if (sees.includes(name)) continue
      expect(one).toMatchObject({ last_error: null, failure: null, tools_count: 0, prompts_count: 0 })
      expect(text).not.toMatch(/the secret of alpha|"command"|"args"|"url"/)
    }
    if (sees.includes('alpha'))
      expect((await api.call('/api/v1/servers/alpha')).body.last_error).toBe('the secret of alpha')
  })
})

test('how a server is that is not for the caller is not told with a tool that is not there either', async () => {
  api.servers.gamma.become('crashed', { lastError: failure('out of memory') })
  const invoke = (name: string) => api.call(`/api/v1/tools/${name}/invoke`, send('POST', {}))
  expect((await invoke('gamma:wait')).status).toBe(503)
  expect((await api.call('/api/v1/tools/gamma:wait')).body.detail).toContain('Its server is crashed')
  restrict('beta:*')
  const asked = [invoke, (name: string) => api.call(`/api/v1/tools/${name}`)]
  for (const ask of asked) {
    const hidden = await ask('gamma:wait')
    expect(hidden.status).toBe(404)
    expect(hidden.text).toBe((await ask('ghost:wait')).text.replaceAll('ghost', 'gamma'))
  }
})
