import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/ext-apps'
import type { Tool } from '@quire/agent/tool'
import { appProgram, startAppHttp, VIEW, VIEW_HTML } from '@quire/mcp/fixtures/app-server'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MCP_APPS_VERSION, McpUiAnswer, McpUiEvent } from './contract.ts'
import { OTHER, post, startUiApp, TOKEN, tokenFor, type UiApp, type UiScript } from './ui-app.fixture.ts'

let app: UiApp
let http: Awaited<ReturnType<typeof startAppHttp>>
beforeAll(async () => {
  http = await startAppHttp()
  app = await startUiApp({ app: appProgram(), web: { url: http.url } })
})
afterAll(async () => {
  await app.close()
  await http.close()
})

/** Says something, calls these tools one after the other, and says something more. */
const calling = (...names: readonly string[]): UiScript =>
  async function* ({ tools, signal }) {
    yield { type: 'text', content: 'Let me ' }
    yield { type: 'text', content: 'look.' }
    for (const [index, name] of names.entries()) {
      const id = `call-${index}`
      const args = { city: 'Bern' }
      yield { type: 'tool_call', id, name, args }
      const result = await find(tools, name).execute(args, { callId: id, signal })
      yield { type: 'tool_result', tool_call_id: id, result }
    }
    yield { type: 'text', content: 'Done.' }
    yield { type: 'usage', prompt_tokens: 1, completion_tokens: 1 }
  }

function find(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  throw new Error(`there is no ${name}`)
}

const sunny = { content: [{ type: 'text', text: 'Sunny' }], _meta: { 'test/origin': 'weather' } }
const page = {
  uri: VIEW,
  mimeType: 'text/html;profile=mcp-app',
  text: VIEW_HTML,
  _meta: { ui: { csp: { connectDomains: ['https://weather.example'] } } },
}

const chat = (value: unknown, as = TOKEN) => app.call('/mcp-ui/chat/ada', { ...post(value), as })

async function stream(value: unknown) {
  const { status, headers, text } = await app.call('/mcp-ui/stream/ada', post(value))
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
  const lines = text.split('\n').filter((line) => line !== '')
  return { headers, events: lines.map((line) => McpUiEvent.parse(JSON.parse(line))) }
}

test('the root describes the protocol, its version and endpoints', async () => {
  verifies('RT-MCPUI-1', 'RT-MCPUI-2')
  expect(MCP_APPS_VERSION).toBe(LATEST_PROTOCOL_VERSION)
  for (const path of ['/mcp-ui', '/mcp-ui/']) {
    expect(await app.call(path)).toMatchObject({
      status: 200,
      body: {
        protocol: 'mcp-ui',
        version: '2026-01-26',
        versions: ['2026-01-26'],
        extension: 'io.modelcontextprotocol/ui',
        features: expect.arrayContaining(['chat', 'streaming', 'ui_resources']),
        endpoints: {
          agents: '/api/v1/mcp-ui/agents',
          chat: '/api/v1/mcp-ui/chat/{agent_id}',
          stream: '/api/v1/mcp-ui/stream/{agent_id}',
        },
      },
    })
  }
})

test('every agent is listed, with its endpoints', async () => {
  verifies('RT-MCPUI-3')
  expect((await app.call('/mcp-ui/agents')).body).toEqual({
    agents: ['ada', 'grace'].map((id) => ({
      id,
      name: expect.any(String),
      chat_endpoint: `/api/v1/mcp-ui/chat/${id}`,
      stream_endpoint: `/api/v1/mcp-ui/stream/${id}`,
    })),
    count: 2,
  })
})

test('a chat answers with texts, results and the pages of tools, in their order', async () => {
  verifies('RT-MCPUI-4')
  app.state.script = calling('app__weather', 'app__think')
  const { status, headers, body } = await chat({ message: 'hello', session_id: 'chat-1', ui_options: {} })
  expect(status).toBe(200)
  expect(headers.get('x-conversation-id')).toBe('chat-1')
  McpUiAnswer.parse(body)
  expect(body).toMatchObject({ role: 'assistant', session_id: 'chat-1' })
  expect(body.content).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_result', tool_call_id: 'call-0', name: 'app__weather', result: sunny },
    { type: 'resource', tool_call_id: 'call-0', toolset: 'app', resource: page },
    { type: 'tool_result', tool_call_id: 'call-1', name: 'app__think' },
    { type: 'text', text: 'Done.' },
  ])
  expect(app.scripted.prompts.at(-1)).toMatchObject({
    owner: 'ada',
    agentId: 'ada',
    conversationId: 'chat-1',
    message: 'hello',
  })
})

test('a stream has its events one a line', async () => {
  verifies('RT-MCPUI-5')
  app.state.script = calling('app__weather')
  const { headers, events } = await stream({ message: 'hello' })
  const session = headers.get('x-conversation-id')
  expect(events).toMatchObject([
    { type: 'start', session_id: session },
    { type: 'delta', delta: 'Let me ' },
    { type: 'delta', delta: 'look.' },
    { type: 'tool_call', tool_call: { id: 'call-0', name: 'app__weather', args: { city: 'Bern' } } },
    { type: 'tool_result', tool_result: { tool_call_id: 'call-0', result: sunny } },
    { type: 'resource', toolset: 'app', resource: page },
    { type: 'delta', delta: 'Done.' },
    { type: 'complete', session_id: session },
  ])
  app.state.script = async function* () {
    yield { type: 'error', detail: 'The model does not answer.', status_code: 502 }
  }
  const failed = await stream({ message: 'hello' })
  expect(failed.events.at(-1)).toEqual({
    type: 'error',
    error: 'The model does not answer.',
    status_code: 502,
  })
  expect(failed.events.map(({ type }) => type)).toEqual(['start', 'error'])
})

const resources = (events: readonly McpUiEvent[]) => events.filter((event) => event.type === 'resource')

test('a page comes once for each answer, whichever key its tool names it by, and of each toolset', async () => {
  app.state.script = calling('app__old_view', 'app__weather', 'web__weather')
  const found = resources((await stream({ message: 'hello' })).events)
  expect(found.map(({ toolset, resource }) => [toolset, resource.uri, resource.text])).toEqual([
    ['app', VIEW, VIEW_HTML],
    ['app', VIEW, undefined],
    ['web', VIEW, VIEW_HTML],
  ])
})

test('pages within results are resources too, and nothing else is', async () => {
  app.state.script = calling('app__embedded')
  expect(resources((await stream({ message: 'hello' })).events)).toEqual([
    {
      type: 'resource',
      tool_call_id: 'call-0',
      toolset: 'app',
      resource: { uri: 'ui://embedded/1', mimeType: 'text/html', text: '<p>embedded</p>' },
    },
  ])
})

test('without embedding a page is only named', async () => {
  app.state.script = calling('app__weather')
  const { events } = await stream({ message: 'hello', ui_options: { embed_resources: false } })
  expect(resources(events)).toMatchObject([{ resource: { uri: VIEW, mimeType: page.mimeType } }])
  expect(JSON.stringify(events)).not.toContain('doctype')
})

test('a page that cannot be had is told of, and the answer goes on', async () => {
  app.state.script = calling('app__huge_view')
  const { events } = await stream({ message: 'hello' })
  expect(resources(events)).toMatchObject([
    { resource: { uri: 'ui://weather/huge' }, error: expect.stringContaining('larger than') },
  ])
  expect(events.at(-1)?.type).toBe('complete')
})

test('a call that waits for a decision is shown', async () => {
  app.state.script = async function* () {
    const call = { id: 'call-0', name: 'app__weather', args: {} }
    yield { type: 'tool_call', ...call }
    yield { type: 'approval_request', ...call }
  }
  expect((await chat({ message: 'hello' })).body.content).toEqual([
    { type: 'approval_request', id: 'call-0', name: 'app__weather', args: {} },
  ])
})

test('a chat whose turn fails has the status of the failure', async () => {
  app.state.script = async function* () {
    yield { type: 'text', content: 'Well' }
    yield { type: 'error', detail: 'The model does not answer.', status_code: 502 }
  }
  expect(await chat({ message: 'hello' })).toMatchObject({
    status: 502,
    body: { detail: 'The model does not answer.', status_code: 502 },
  })
})

test.each([
  [{}],
  [{ message: '' }],
  [{ message: ['a'] }],
  [{ message: 'a', session_id: 'a/b' }],
  [{ message: 'a', session_id: '' }],
  [{ message: 'a', ui_options: { colour: 'red' } }],
  [{ message: 'a', ui_options: [] }],
  [{ message: 'a', conversation_id: 'a' }],
  [null],
])('the body %j is refused', async (body) => {
  for (const path of ['/mcp-ui/chat/ada', '/mcp-ui/stream/ada'])
    expect(await app.call(path, post(body))).toMatchObject({ status: 422, body: { status_code: 422 } })
})

test('no JSON, another type, unknown agents, missing keys, narrow keys', async () => {
  const message = { message: 'a' }
  expect((await app.call('/mcp-ui/chat/ada', post('{'))).status).toBe(400)
  expect((await app.call('/mcp-ui/chat/ada', post('a', { 'content-type': 'text/plain' }))).status).toBe(415)
  for (const path of ['/mcp-ui/chat', '/mcp-ui/stream']) {
    expect((await app.call(`${path}/nobody`, post(message))).status).toBe(404)
    expect((await app.call(`${path}/no%20body`, post(message))).status).toBe(404)
    expect((await app.call(`${path}/ada`, { ...post(message), as: null })).status).toBe(401)
    expect((await app.call(`${path}/ada`, { ...post(message), as: tokenFor('agents:read') })).status).toBe(
      403,
    )
  }
  expect((await app.call('/mcp-ui/agents', { as: tokenFor('agents:write') })).status).toBe(403)
  app.state.script = calling()
  expect((await chat(message, OTHER)).status).toBe(200)
  expect(app.scripted.prompts.at(-1)?.owner).toBe('eve')
})

test('a reader that leaves is let go, and the turn is not', async () => {
  const held = Promise.withResolvers<void>()
  app.state.script = async function* () {
    yield { type: 'text', content: 'Wait' }
    await held.promise
  }
  for (const kind of ['stream', 'chat']) {
    const leaving = new AbortController()
    const asked = app.request(`/mcp-ui/${kind}/ada`, {
      ...post({ message: 'a', session_id: `left-${kind}` }),
      signal: leaving.signal,
    })
    if (kind === 'stream') await (await asked).body?.getReader().read()
    await expect.poll(() => app.scripted.readersOf(`left-${kind}`)).toBe(1)
    leaving.abort()
    await asked.catch(() => 'expected')
    await expect.poll(() => app.scripted.readersOf(`left-${kind}`)).toBe(0)
  }
  held.resolve()
  const turn = await app.scripted.turns.join('ada', 'left-stream')
  expect((await turn?.result())?.status).toBe('complete')
})
