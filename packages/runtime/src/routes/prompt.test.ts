import { CallerError } from '@quire/kit/errors'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { StreamFrame } from '../conversation-contract.ts'
import type { Frame } from '../turns/frame.ts'
import { startApi } from './api.fixture.ts'
import { NO_TURN } from './scripted-turns.fixture.ts'

const api = await startApi()
afterAll(api.close)
beforeEach(() => {
  delete api.script.prompt
  api.script.onPrompt = (turn) => turn.end()
})

const PROMPT = '/api/v1/agents/guide/prompt'
const SYNC = `${PROMPT}/sync`

describe('a complete answer', () => {
  test('has the text, the calls, what was used, and where it is kept', async () => {
    verifies('RT-PROMPT-2', 'RT-PROMPT-3', 'RT-PROMPT-4', 'RT-PROMPT-5')
    const result = { content: [{ type: 'text' as const, text: '2' }], structuredContent: { sum: 2 } }
    api.script.onPrompt = (turn) =>
      turn.end({
        ...NO_TURN,
        text: 'It is 2.',
        toolCalls: [{ id: 'c1', name: 'files__add', args: { a: 1, b: 1 }, result }],
        usage: { promptTokens: 12, completionTokens: 5, cost: 0.01 },
      })
    const answer = await api.call('POST', SYNC, { message: '1 + 1?', conversation_id: 'sums' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      response: 'It is 2.',
      tool_calls: [{ id: 'c1', name: 'files__add', args: { a: 1, b: 1 }, result, status: 'complete' }],
      usage: { prompt_tokens: 12, completion_tokens: 5, cost_usd: 0.01 },
      conversation_id: 'sums',
      status: 'complete',
    })
    expect(answer.headers.get('x-conversation-id')).toBe('sums')
    expect(api.prompts.at(-1)).toEqual({
      owner: 'ada',
      agentId: 'guide',
      conversationId: 'sums',
      message: '1 + 1?',
    })
  })

  test.each([undefined, null])('needs no conversation (%s)', async (conversation_id) => {
    verifies('RT-PROMPT-6')
    const answer = await api.call('POST', SYNC, { message: 'x', conversation_id })
    expect(api.prompts.at(-1)?.conversationId).toBeUndefined()
    expect(answer.body.conversation_id).toBe(answer.headers.get('x-conversation-id'))
  })

  test('may wait for a decision', async () => {
    api.script.onPrompt = (turn) =>
      turn.end({ ...NO_TURN, status: 'waiting', toolCalls: [{ id: 'c1', name: 'rm', args: {} }] })
    expect((await api.call('POST', SYNC, { message: 'x' })).body).toMatchObject({
      status: 'waiting',
      tool_calls: [{ id: 'c1', name: 'rm', args: {}, status: 'waiting' }],
    })
  })

  test('that failed has the status of the failure, its words, and where the rest of it is', async () => {
    verifies('RT-ERR-1', 'RT-PROMPT-5')
    const error = { detail: 'Slow down, says the provider.', statusCode: 429, retryAfterSeconds: 7 }
    api.script.onPrompt = (turn) => turn.end({ ...NO_TURN, status: 'failed', error })
    const answer = await api.call('POST', SYNC, { message: 'x', conversation_id: 'failing' })
    expect(answer).toMatchObject({ status: 429, body: { detail: error.detail, status_code: 429 } })
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.headers.get('x-conversation-id')).toBe('failing')
  })

  test.each([
    ['cancelled', 409],
    ['interrupted', 503],
    ['failed', 500],
  ] as const)('that was %s is %d', async (status, code) => {
    verifies('RT-ERR-1')
    api.script.onPrompt = (turn) => turn.end({ ...NO_TURN, status })
    const answer = await api.call('POST', SYNC, { message: 'x' })
    expect(answer).toMatchObject({ status: code, body: { detail: expect.any(String), status_code: code } })
  })
})

describe.each([PROMPT, SYNC])('POST %s', (path) => {
  test('is refused as the turns refuse it', async () => {
    verifies('RT-ERR-1')
    api.script.prompt = new CallerError('conflict', 'A turn is under way.')
    expect(await api.call('POST', path, { message: 'x' })).toMatchObject({
      status: 409,
      body: { detail: 'A turn is under way.', status_code: 409 },
    })
  })

  test('shows nothing of a failure that is ours', async () => {
    verifies('RT-ERR-7')
    api.script.prompt = new Error('SELECT secret FROM table')
    const answer = await api.call('POST', path, { message: 'x' })
    expect(answer).toMatchObject({ status: 500, body: { status_code: 500 } })
    expect(JSON.stringify(answer.body)).not.toContain('SELECT')
    expect(api.log.join('')).toContain('SELECT secret')
  })

  test.each<[object, string]>([
    [{}, 'message'],
    [{ message: '' }, 'message'],
    [{ message: null }, 'message'],
    [{ message: ['x'] }, 'message'],
    [{ message: 'a\0b' }, 'message'],
    [{ message: 'half \ud800 of a pair' }, 'message'],
    [{ message: 'x', conversation_id: '' }, 'conversation_id'],
    [{ message: 'x', conversation_id: 'a b' }, 'conversation_id'],
    [{ message: 'x', conversation_id: '../x' }, 'conversation_id'],
    [{ message: 'x', conversation_id: '..' }, 'conversation_id'],
    [{ message: 'x', conversation_id: 'x'.repeat(129) }, 'conversation_id'],
    [{ message: 'x', conversation_id: 1 }, 'conversation_id'],
    [{ message: 'x', on_disconnect: 'stop' }, 'on_disconnect'],
    [{ message: 'x', on_disconnect: null }, 'on_disconnect'],
    [{ message: 'x', stream: true }, 'stream'],
    [{ prompt: 'x' }, 'message'],
  ])('with %j is 422', async (body, field) => {
    verifies('RT-ERR-5', 'RT-ERR-6')
    const before = api.prompts.length
    const answer = await api.call('POST', path, body)
    expect(answer).toMatchObject({ status: 422, body: { status_code: 422 } })
    expect(answer.body.detail).toContain(field)
    expect(api.prompts).toHaveLength(before)
  })

  test('takes a prompt of almost 1 MiB, and refuses a larger one', async () => {
    const most = 1024 * 1024 - JSON.stringify({ message: '' }).length
    expect((await api.call('POST', path, { message: 'x'.repeat(most) })).status).toBe(200)
    expect(api.prompts.at(-1)?.message).toHaveLength(most)
    expect((await api.call('POST', path, { message: 'x'.repeat(most + 1) })).status).toBe(413)
  })
})

test('cancelling says whether anything was under way', async () => {
  verifies('RT-PROMPT-13')
  api.script.onPrompt = () => undefined
  const asked = api.call('POST', SYNC, { message: 'x', conversation_id: 'long' })
  await expect.poll(() => api.records.get('long')?.status).toBe('running')
  const path = '/api/v1/conversations/long/cancel'
  expect((await api.call('POST', path)).body.message).toContain('cancelled')
  expect((await asked).status).toBe(409)
  expect(await api.call('POST', path)).toMatchObject({
    status: 200,
    body: { message: 'Nothing was under way.' },
  })
})

test('every kind of frame is as the document says', async () => {
  const frames: readonly Frame[] = [
    { type: 'text', content: 'a' },
    { type: 'tool_call', id: 'c', name: 'n', args: {} },
    { type: 'tool_result', tool_call_id: 'c', result: { content: [] } },
    { type: 'approval_request', id: 'c', name: 'n', args: {} },
    { type: 'usage', prompt_tokens: 1, completion_tokens: 1 },
    { type: 'error', detail: 'x', status_code: 502 },
    { type: 'done' },
  ]
  for (const frame of frames) expect(StreamFrame.parse(frame)).toEqual(frame)
})
