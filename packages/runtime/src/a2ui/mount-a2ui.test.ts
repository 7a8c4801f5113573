import { isJsonObject } from '@quire/agent/json'
import { appProgram } from '@quire/mcp/fixtures/app-server'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { OTHER, post, startUiApp, TOKEN, type UiApp, type UiScript } from '../mcp-ui/ui-app.fixture.ts'
import { BASIC_CATALOG } from './messages.ts'
import { createRenderer } from './renderer.fixture.ts'

let app: UiApp
beforeAll(async () => {
  app = await startUiApp({ app: appProgram() })
})
afterAll(() => app.close())
beforeEach(() => {
  app.state.script = speaking
})

async function* speaking({ message }: Parameters<UiScript>[0]): ReturnType<UiScript> {
  yield { type: 'text', content: 'You said ' }
  yield { type: 'text', content: message }
}

const weatherCall = { id: 'call-1', name: 'app__weather', args: { city: 'Bern' } }

async function* calling({ tools, signal, decision }: Parameters<UiScript>[0]): ReturnType<UiScript> {
  const { id, name, args } = weatherCall
  if (!decision) {
    yield { type: 'text', content: 'Let me look.' }
    yield { type: 'tool_call', id, name, args }
  }
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error('the tool is not there')
  if (decision && !decision.isApproved)
    yield { type: 'tool_result', tool_call_id: id, result: { content: [], isError: true } }
  else
    yield { type: 'tool_result', tool_call_id: id, result: await tool.execute(args, { callId: id, signal }) }
  yield { type: 'text', content: 'It is sunny.' }
}

async function* asking(turn: Parameters<UiScript>[0]): ReturnType<UiScript> {
  if (turn.decision) return yield* calling(turn)
  yield { type: 'tool_call', ...weatherCall }
  yield { type: 'approval_request', ...weatherCall }
}

const messagesOf = (stream: string): unknown[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))

const ask = (value: unknown, as = TOKEN, agent = 'ada') =>
  app.call(`/a2ui/agents/${agent}`, { ...post(value), as })

test('the root describes the protocol, its version and endpoints', async () => {
  verifies('RT-A2UI-1', 'RT-A2UI-2')
  for (const path of ['/a2ui', '/a2ui/']) {
    expect(await app.call(path)).toMatchObject({
      status: 200,
      body: {
        protocol: 'a2ui',
        version: 'v0.9.1',
        versions: ['v0.9.1'],
        media_type: 'application/a2ui+json',
        catalogs: [BASIC_CATALOG],
        endpoints: { agents: '/api/v1/a2ui/agents', prompt: '/api/v1/a2ui/agents/{agent_id}' },
      },
    })
  }
})

test('every agent is listed, with its endpoint', async () => {
  verifies('RT-A2UI-3')
  const { status, body } = await app.call('/a2ui/agents')
  expect([status, body.count]).toEqual([200, 2])
  expect(body.agents[0]).toMatchObject({
    id: 'ada',
    name: 'Ada',
    endpoint: '/api/v1/a2ui/agents/ada',
    extension: {
      uri: 'https://a2ui.org/a2a-extension/a2ui/v0.9.1',
      params: { supportedCatalogIds: [BASIC_CATALOG] },
    },
  })
})

test('a prompt is streamed as a surface that the protocol’s own renderer shows', async () => {
  verifies('RT-A2UI-4', 'RT-A2UI-2')
  app.state.script = calling
  const { status, headers, text } = await ask({ message: 'The weather?', conversation_id: 'shown' })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/event-stream')
  expect(headers.get('x-conversation-id')).toBe('shown')
  const messages = messagesOf(text)
  expect(messages[0]).toMatchObject({ version: 'v0.9.1', createSurface: { catalogId: BASIC_CATALOG } })
  expect(text).toMatch(/^id: t\d+\.1\.12$/m)
  const renderer = createRenderer()
  renderer.take(messages)
  const surfaceId = surfaceOf(messages)
  expect(renderer.texts(surfaceId)).toEqual([
    'Let me look.',
    '`app__weather`',
    '```\n{\n  "city": "Bern"\n}\n```',
    'Done',
    '```\nSunny\n```',
    'It is sunny.',
  ])
})

test('the same as lines, for those who ask for it', async () => {
  const { headers, text } = await app.call(
    '/a2ui/agents/ada',
    post({ message: 'hello' }, { accept: 'application/x-ndjson' }),
  )
  expect(headers.get('content-type')).toContain('application/x-ndjson')
  const messages = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const renderer = createRenderer()
  renderer.take(messages)
  expect(renderer.texts(surfaceOf(messages))).toEqual(['You said hello'])
})

test('a failed turn shows its error', async () => {
  app.state.script = async function* () {
    yield { type: 'text', content: 'Well' }
    yield { type: 'error', detail: 'The model does not answer. Try again later.', status_code: 502 }
  }
  const messages = messagesOf((await ask({ message: 'hello' })).text)
  const renderer = createRenderer()
  renderer.take(messages)
  expect(renderer.texts(surfaceOf(messages))).toEqual([
    'Well',
    'Error: The model does not answer. Try again later.',
  ])
})

test.each([
  ['approve', 'Done', '```\nSunny\n```'],
  ['refuse', 'Failed', ''],
])(
  'a call that waits for a decision is decided by its button "%s", on the same surface',
  async (button, state, said) => {
    app.state.script = asking
    const renderer = createRenderer()
    const messages = messagesOf((await ask({ message: 'The weather?' })).text)
    renderer.take(messages)
    const surfaceId = surfaceOf(messages)
    expect(renderer.texts(surfaceId)).toEqual(
      expect.arrayContaining(['Waits for your decision', 'Approve', 'Refuse']),
    )
    await renderer.press(surfaceId, `call:call-1:${button}`)
    const { status, text } = await ask({ version: 'v0.9.1', action: renderer.actions[0] })
    expect(status).toBe(200)
    expect(app.scripted.decisions.at(-1)).toMatchObject({
      owner: 'ada',
      callId: 'call-1',
      isApproved: button === 'approve',
    })
    expect(text).not.toContain('createSurface')
    renderer.take(messagesOf(text))
    const texts = renderer.texts(surfaceId)
    expect(texts.slice(2)).toEqual([state, said, 'It is sunny.'])
  },
)

test('one of two decisions changes its card alone', async () => {
  const twice = { ...weatherCall, id: 'first-of-two' }
  app.state.script = async function* () {
    for (const call of [twice, weatherCall]) yield { type: 'tool_call', ...call }
    for (const call of [twice, weatherCall]) yield { type: 'approval_request', ...call }
  }
  const renderer = createRenderer()
  const messages = messagesOf((await ask({ message: 'The weather?' })).text)
  renderer.take(messages)
  const surfaceId = surfaceOf(messages)
  await renderer.press(surfaceId, 'call:first-of-two:approve')
  const answer = messagesOf((await ask({ action: renderer.actions[0] })).text)
  expect(answer).toHaveLength(1)
  renderer.take(answer)
  const texts = renderer.texts(surfaceId)
  expect(texts).toContain('You approved it.')
  expect(texts.filter((line) => line === 'Approve')).toHaveLength(1)
})

const action = {
  name: 'book',
  surfaceId: 'own',
  sourceComponentId: 'button',
  timestamp: '2026-11-15T10:00:00Z',
  context: { seat: 4 },
}

test('any other action is a prompt', async () => {
  await ask({ action, conversation_id: 'acted' })
  expect(app.scripted.prompts.at(-1)).toMatchObject({
    owner: 'ada',
    agentId: 'ada',
    conversationId: 'acted',
    message: 'The user chose "book" (component "button") with {"seat":4}.',
  })
  await ask({
    action: { ...action, name: 'send_message', context: { message: 'Hi!', conversation_id: 'acted' } },
  })
  expect(app.scripted.prompts.at(-1)).toMatchObject({ conversationId: 'acted', message: 'Hi!' })
})

test('an error of the renderer is noted, and no prompt', async () => {
  const before = app.scripted.prompts.length
  const error = { code: 'VALIDATION_FAILED', surfaceId: 's', path: '/a', message: 'what is this' }
  expect(await ask({ version: 'v0.9', error })).toMatchObject({ status: 202 })
  expect(app.scripted.prompts.length).toBe(before)
  expect(app.log.join('')).toContain('what is this')
  expect((await ask({ error }, TOKEN, 'nobody')).status).toBe(404)
})

test('a conversation alone shows its last turn again', async () => {
  await ask({ message: 'once', conversation_id: 'joined' })
  const messages = messagesOf((await ask({ conversation_id: 'joined' })).text)
  const renderer = createRenderer()
  renderer.take(messages)
  expect(renderer.texts(surfaceOf(messages))).toEqual(['You said once'])
  expect((await ask({ conversation_id: 'joined' }, TOKEN, 'grace')).status).toBe(409)
  expect((await ask({ conversation_id: 'joined' }, OTHER)).status).toBe(404)
})

function surfaceOf([first]: readonly unknown[]): string {
  const created = isJsonObject(first) ? first.createSurface : undefined
  return isJsonObject(created) ? String(created.surfaceId) : 'none'
}
