import { fileURLToPath } from 'node:url'
import { appProgram, startAppHttp, VIEW, VIEW_HTML } from '@quire/mcp/fixtures/app-server'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OTHER, post, startUiApp, TOKEN, tokenFor, type UiApp } from './ui-app.fixture.ts'

const SAMPLE = fileURLToPath(new URL('../../../mcp/src/fixtures/stdio-sample.ts', import.meta.url))

let app: UiApp
let http: Awaited<ReturnType<typeof startAppHttp>>
beforeAll(async () => {
  http = await startAppHttp()
  app = await startUiApp(
    {
      app: appProgram(),
      web: { url: http.url },
      plain: { command: process.execPath, args: [SAMPLE] },
    },
    { isAsking: true },
  )
  await app.call('/mcp-ui/chat/ada', post({ message: 'Show me.', session_id: 'shown' }))
})
afterAll(async () => {
  await app.close()
  await http.close()
})

const resourcesOf = (toolset: string, uri: string) =>
  `/mcp-ui/toolsets/${toolset}/resources?uri=${encodeURIComponent(uri)}`
const read = (toolset: string, uri: string) => app.call(resourcesOf(toolset, uri))
const toolOf = (toolset: string, tool: string) =>
  `/mcp-ui/toolsets/${toolset}/tools/${encodeURIComponent(tool)}/call`
const call = (toolset: string, tool: string, body: unknown = {}) =>
  app.call(toolOf(toolset, tool), post(body))

test.each(['app', 'web'])(
  'a page of the toolset "%s" can be read, with its wishes for the sandbox',
  async (toolset) => {
    verifies('RT-MCPUI-6')
    expect(await read(toolset, VIEW)).toMatchObject({
      status: 200,
      body: {
        contents: [
          {
            uri: VIEW,
            mimeType: 'text/html;profile=mcp-app',
            text: VIEW_HTML,
            _meta: { ui: { csp: { connectDomains: ['https://weather.example'] } } },
          },
        ],
      },
    })
  },
)

test('what a server says in its list holds where the page says nothing', async () => {
  expect((await read('app', 'ui://weather/listed')).body.contents[0]._meta).toEqual({
    ui: { prefersBorder: true },
  })
  expect((await read('app', VIEW)).body.contents[0]._meta.ui.prefersBorder).toBeUndefined()
})

test('a page may come as bytes', async () => {
  const { body } = await read('app', 'ui://weather/blob')
  expect(Buffer.from(body.contents[0].blob, 'base64').toString()).toBe(VIEW_HTML)
})

test.each([
  ['app', 'memo://private', 422],
  ['app', 'https://weather.example/', 422],
  ['app', 'file:///etc/passwd', 422],
  ['app', 'UI://weather/view.html', 422],
  ['app', ' ui://weather/view.html', 422],
  ['app', '', 422],
  ['app', `ui://${'a'.repeat(3_000)}`, 422],
  ['app', 'ui://weather/\0', 422],
  ['app', 'ui://weather/missing', 404],
  ['app', 'ui://weather/plain', 502],
  ['app', 'ui://weather/empty', 502],
  ['app', 'ui://weather/huge', 502],
  ['none', VIEW, 404],
  ['__proto__', VIEW, 404],
])('of the toolset %j the resource %j is refused with %i', async (toolset, uri, status) => {
  expect(await read(toolset, uri)).toMatchObject({
    status,
    body: { status_code: status, detail: expect.any(String) },
  })
})

test('a tool is called for a user interface, and its result comes as it is', async () => {
  verifies('RT-MCPUI-7')
  expect(await call('app', 'weather', { arguments: { city: 'Bern' } })).toMatchObject({
    status: 200,
    body: {
      content: [{ type: 'text', text: 'Sunny' }],
      structuredContent: { asked: { city: 'Bern' } },
      _meta: { 'test/origin': 'weather' },
      extra: { kept: true },
    },
  })
  expect(await call('web', 'refresh')).toMatchObject({
    status: 200,
    body: { content: [{ text: 'called refresh' }] },
  })
  expect(await call('app', 'fail')).toMatchObject({ status: 200, body: { isError: true } })
  expect(await call('app', 'odd name/with.dots')).toMatchObject({ status: 200 })
})

test.each([
  ['app', 'think', {}, 403],
  ['app', 'nobody', {}, 403],
  ['app', 'missing', {}, 404],
  ['app', 'constructor', {}, 404],
  ['none', 'weather', {}, 404],
  ['app', 'refuse', {}, 422],
  ['app', 'weather', { arguments: [] }, 422],
  ['app', 'weather', { city: 'Bern' }, 422],
  ['app', 'weather', [], 422],
])('of the toolset %j the tool %j with %j is refused with %i', async (toolset, tool, body, status) => {
  expect(await call(toolset, tool, body)).toMatchObject({ status, body: { status_code: status } })
})

test.each([
  ['somebody without a conversation', 'app', 'weather', {}, OTHER, 'No agent of your conversations'],
  ["somebody in another's", 'app', 'weather', { session_id: 'shown' }, OTHER, 'You have no conversation'],
  ['one whose agent has no toolset', 'app', 'weather', { session_id: 'bare' }, TOKEN, 'No agent of this'],
  ['one whose agent asks a person', 'app', 'weather', { session_id: 'asked' }, TOKEN, 'A person decides'],
  ['a toolset without a page', 'plain', 'meta', {}, TOKEN, 'is not for user interfaces'],
])('no tool is called for %s', async (_, toolset, tool, body, as, detail) => {
  await app.call('/mcp-ui/chat/grace', post({ message: 'Hi.', session_id: 'bare' }))
  await app.call('/mcp-ui/chat/careful', post({ message: 'Hi.', session_id: 'asked' }))
  const refused = await app.call(toolOf(toolset, tool), { ...post(body), as })
  expect(refused.body).toMatchObject({ detail: expect.stringContaining(detail) })
  expect([403, 404]).toContain(refused.status)
})

test('a tool is called in the conversation that shows its page', async () => {
  expect((await call('app', 'weather', { session_id: 'shown' })).status).toBe(200)
})

test('both need a key that may prompt', async () => {
  await app.call('/mcp-ui/chat/ada', { ...post({ message: 'Show me.' }), as: tokenFor('agents:prompt') })
  const narrow = tokenFor('agents:read')
  expect((await app.call(resourcesOf('app', VIEW), { as: narrow })).status).toBe(403)
  expect((await app.call(resourcesOf('app', VIEW), { as: null })).status).toBe(401)
  expect((await app.call(toolOf('app', 'weather'), { ...post({}), as: narrow })).status).toBe(403)
  expect((await app.call(toolOf('app', 'weather'), { ...post({}), as: null })).status).toBe(401)
  expect(
    (await app.call(toolOf('app', 'weather'), { ...post({}), as: tokenFor('agents:prompt') })).status,
  ).toBe(200)
})

test('a caller that leaves cancels the call', async () => {
  const seen = async () => (await call('app', 'seen')).body.structuredContent
  const leaving = new AbortController()
  const calling = app.request(toolOf('app', 'slow'), { ...post({}), signal: leaving.signal })
  await expect.poll(async () => (await seen()).slow).toHaveLength(1)
  leaving.abort()
  await expect(calling).rejects.toThrow()
  await expect.poll(async () => (await seen()).cancelled).toHaveLength(1)
})

test('a toolset that dies in the middle is 503 without what it said of secrets, and is back', async () => {
  const died = await call('app', 'die')
  expect(died).toMatchObject({ status: 503, body: { status_code: 503 } })
  expect(died.headers.get('retry-after')).toBe('5')
  expect(died.text).not.toContain('hunter2')
  await expect.poll(async () => (await call('app', 'weather')).status).toBe(200)
})

test('a toolset that is closed is 503', async () => {
  await app.toolsets.close()
  expect((await read('app', VIEW)).status).toBe(503)
  expect((await call('app', 'weather')).status).toBe(503)
})
