import { afterAll, expect, test } from 'vitest'
import { post, READER, startTransports } from '../transports.fixture.ts'
import { request } from './vercel-ai.fixture.ts'

const served = await startTransports()
afterAll(served.close)

const said = (parts: unknown, role = 'user') => ({ messages: [{ id: 'm', role, parts }] })
const refusal = (reason: string) => ({
  type: 'dynamic-tool',
  toolCallId: 'c1',
  state: 'approval-responded',
  approval: { id: 'c1', approved: false, reason },
})
const file = { type: 'file', mediaType: 'image/png', url: 'data:,' }

test.each([
  ['no JSON', '{', 400],
  ['a list', [], 422],
  ['no chat', { ...request('x'), id: undefined }, 422],
  ['a chat that is a path', request('../x'), 422],
  ['a chat too long', request('x'.repeat(129)), 422],
  ['no messages', request('x', { messages: undefined }), 422],
  ['not one message', request('x', { messages: [] }), 422],
  ['messages that are none', request('x', { messages: [7] }), 422],
  ['a role that there is not', request('x', said([], 'tool')), 422],
  ['no parts', request('x', said(undefined)), 422],
  ['not one part', request('x', said([])), 422],
  ['an empty text', request('x', said([{ type: 'text', text: '' }])), 422],
  ['a text that is none', request('x', said([{ type: 'text', text: 7 }])), 422],
  ['a lone surrogate', request('x', said([{ type: 'text', text: '\ud800' }])), 422],
  ['a file', request('x', said([file])), 422],
  ['an answer with nothing decided', request('x', said([{ type: 'text', text: 'a' }], 'assistant')), 422],
  [
    'a decision that says nothing',
    request('x', said([{ type: 'dynamic-tool', state: 'approval-responded' }], 'assistant')),
    422,
  ],
  ['a NUL in a reason', request('x', said([refusal('\0')], 'assistant')), 422],
  ['a system message', request('x', said([{ type: 'text', text: 'a' }], 'system')), 422],
  ['a new answer', request('x', { trigger: 'regenerate-message' }), 422],
  ['another trigger', request('x', { trigger: 'bang' }), 422],
  ['a change of what was said', request('x', { messageId: 'm1' }), 422],
])('%s is refused', async (_name, body, status) => {
  const response = await served.call('/vercel-ai/guide', post(body))
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ status_code: status, detail: expect.any(String) })
})

test('an agent that does not exist, a missing key and a key that may not prompt', async () => {
  expect((await served.call('/vercel-ai/nobody', post(request('x')))).status).toBe(404)
  expect((await served.call('/vercel-ai/guide', { ...post(request('x')), as: null })).status).toBe(401)
  expect((await served.call('/vercel-ai/guide', { ...post(request('x')), as: READER })).status).toBe(403)
  expect((await served.call('/vercel-ai/guide/x/stream', { as: READER })).status).toBe(403)
})
