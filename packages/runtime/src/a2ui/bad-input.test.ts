import { afterAll, beforeAll, expect, test } from 'vitest'
import { OTHER, post, startUiApp, TOKEN, tokenFor, type UiApp } from '../mcp-ui/ui-app.fixture.ts'

let app: UiApp
beforeAll(async () => {
  app = await startUiApp()
})
afterAll(() => app.close())

const ask = (value: unknown, as = TOKEN, agent = 'ada') =>
  app.call(`/a2ui/agents/${agent}`, { ...post(value), as })

const action = {
  name: 'book',
  surfaceId: 'own',
  sourceComponentId: 'button',
  timestamp: '2026-11-15T10:00:00Z',
  context: { seat: 4 },
}

test('a decision needs its conversation, its owner, its agent and something to decide', async () => {
  const call = { id: 'call-1', name: 'app__weather', args: {} }
  app.state.script = async function* ({ decision }) {
    if (!decision) yield { type: 'approval_request', ...call }
  }
  await ask({ message: 'The weather?', conversation_id: 'waiting' })
  const decision = (context: object) => ({ action: { ...action, name: 'approve_tool', context } })
  const right = { conversation_id: 'waiting', call_id: 'call-1' }
  const before = app.scripted.decisions.length
  expect((await ask(decision({ call_id: 'call-1' }))).status).toBe(422)
  expect((await ask(decision({ conversation_id: 'waiting' }))).status).toBe(422)
  expect((await ask(decision({ ...right, conversation_id: '../etc' }))).status).toBe(422)
  expect((await ask(decision({ ...right, conversation_id: 7 }))).status).toBe(422)
  expect((await ask(decision({ ...right, reason: '\0' }))).status).toBe(422)
  expect((await ask(decision({ ...right, conversation_id: 'unknown' }))).status).toBe(404)
  expect((await ask(decision(right), OTHER)).status).toBe(404)
  expect((await ask(decision(right), TOKEN, 'grace')).status).toBe(409)
  expect(app.scripted.decisions.length).toBe(before)
  expect((await ask(decision(right))).status).toBe(200)
  expect((await ask(decision(right))).status).toBe(409)
})

test.each([
  [{}],
  [{ message: '' }],
  [{ message: 7 }],
  [{ message: 'a', action }],
  [{ message: 'a', conversation_id: 'a b' }],
  [{ message: 'a', conversation_id: '..' }],
  [{ message: 'a', version: 'v0.8' }],
  [{ message: 'a', more: 1 }],
  [{ action: { ...action, timestamp: 'now' } }],
  [{ action: { ...action, context: [] } }],
  [{ action: { ...action, name: 'send_message', context: {} } }],
  [{ action: { ...action, name: 'send_message', context: { message: 'a\0b' } } }],
  [{ error: { code: 'A' } }],
  [{ conversation_id: null }],
  [[]],
])('the body %j is refused', async (body) => {
  expect(await ask(body)).toMatchObject({
    status: 422,
    body: { status_code: 422, detail: expect.any(String), errors: expect.any(Array) },
  })
})

test('unknown agents, missing keys and narrow keys', async () => {
  expect((await ask({ message: 'a' }, TOKEN, 'nobody')).status).toBe(404)
  expect((await ask({ message: 'a' }, TOKEN, 'no%20body')).status).toBe(404)
  expect((await ask({ message: 'a' }, tokenFor('agents:read'))).status).toBe(403)
  expect((await app.call('/a2ui', { as: tokenFor('agents:prompt') })).status).toBe(403)
  for (const path of ['/a2ui', '/a2ui/agents']) expect((await app.call(path, { as: null })).status).toBe(401)
  expect((await app.call('/a2ui/agents/ada', { ...post({ message: 'a' }), as: null })).status).toBe(401)
})

test('a reader that leaves is let go', async () => {
  const never = new Promise<void>(() => undefined)
  app.state.script = async function* () {
    yield { type: 'text', content: 'Wait' }
    await never
  }
  for (const [index, accept] of ['text/event-stream', 'application/jsonl'].entries()) {
    const id = `left-${index}`
    const leaving = new AbortController()
    const response = await app.request('/a2ui/agents/ada', {
      ...post({ message: 'a', conversation_id: id }, { accept }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    await expect.poll(() => app.scripted.readersOf(id)).toBe(1)
    leaving.abort()
    await expect.poll(() => app.scripted.readersOf(id)).toBe(0)
  }
})
