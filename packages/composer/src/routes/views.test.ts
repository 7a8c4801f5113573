import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccess } from '../access/access.ts'
import { send, startApi } from './parts.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.sent.length = 0
  api.recorded.length = 0
  api.state.view = undefined
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
