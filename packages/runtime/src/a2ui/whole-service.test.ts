import { isJsonObject } from '@quire/agent/json'
import { appProgram, VIEW, VIEW_HTML } from '@quire/mcp/fixtures/app-server'
import { parseToolsets } from '@quire/mcp/toolsets/config'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { McpUiAnswer } from '../mcp-ui/contract.ts'
import { startRuntime } from '../runtime.fixture.ts'
import { createRenderer } from './renderer.fixture.ts'

/** The guide, the engine, the store and a real toolset: nothing here is played. */
let service: Awaited<ReturnType<typeof startRuntime>>
beforeAll(async () => {
  service = await startRuntime({ toolsets: parseToolsets({ mcpServers: { app: appProgram() } }, {}) })
  for (const tool_approval of [false, true]) {
    const body = { id: tool_approval ? 'careful' : 'quick', name: 'A', mcp_toolsets: ['*'], tool_approval }
    expect((await service.ask('POST', '/api/v1/agents', { body })).status).toBe(201)
  }
})
afterAll(() => service.close())

const CALL = 'call app__weather with {"city": "Bern"}'

async function show(agent: string, body: unknown): Promise<readonly unknown[]> {
  const response = await service.ask('POST', `/api/v1/a2ui/agents/${agent}`, { body })
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

function createdIn([first]: readonly unknown[]): string {
  const created = isJsonObject(first) ? first.createSurface : undefined
  return isJsonObject(created) ? String(created.surfaceId) : 'none'
}

test('the guide is shown by a renderer of A2UI, with what its tools do', async () => {
  const renderer = createRenderer()
  const messages = await show('quick', { message: CALL })
  renderer.take(messages)
  const texts = renderer.texts(createdIn(messages))
  expect(texts).toEqual(expect.arrayContaining(['`app__weather`', 'Done', '```\nSunny\n```']))
  expect(texts.at(-1)).toContain('Sunny')
})

test.each([
  ['approve', 'Done'],
  ['refuse', 'Failed'],
])(
  'a call that waits is decided by the button "%s", and its turn goes on in the same surface',
  async (button, state) => {
    const renderer = createRenderer()
    const messages = await show('careful', { message: CALL })
    renderer.take(messages)
    const surfaceId = createdIn(messages)
    expect(renderer.texts(surfaceId)).toContain('Waits for your decision')
    const [pressed] = renderer.buttons(surfaceId).filter((id) => id.endsWith(`:${button}`))
    await renderer.press(surfaceId, pressed ?? 'none')
    renderer.take(await show('careful', { version: 'v0.9.1', action: renderer.actions[0] }))
    const texts = renderer.texts(surfaceId)
    expect(texts).toContain(state)
    expect(texts).not.toContain('Approve')
  },
)

test('MCP-UI brings the page of the tool that the guide called', async () => {
  const response = await service.ask('POST', '/api/v1/mcp-ui/chat/quick', { body: { message: CALL } })
  const { content, session_id } = McpUiAnswer.parse(await response.json())
  expect(content).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'tool_result', name: 'app__weather' }),
      expect.objectContaining({
        type: 'resource',
        toolset: 'app',
        resource: expect.objectContaining({ uri: VIEW, text: VIEW_HTML }),
      }),
    ]),
  )
  const stored = await service.ask('GET', `/api/v1/conversations/${session_id}`)
  expect(await stored.json()).toMatchObject({ id: session_id, agent_id: 'quick', status: 'idle' })
  const again = await service.ask('POST', '/api/v1/mcp-ui/stream/quick', {
    body: { message: 'help', session_id },
  })
  const events = (await again.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  expect([events[0], events.at(-1)]).toEqual(['start', 'complete'])
})
