import { CallerError } from '@quire/kit/errors'
import { verifies } from '@quire/spec/verifies'
import { afterAll, describe, expect, test } from 'vitest'
import { OTHER, startApi } from './api.fixture.ts'
import { NO_TURN } from './scripted-turns.fixture.ts'

const api = await startApi()
afterAll(api.close)

const SYNC = '/api/v1/agents/guide/prompt/sync'

describe('conversations', () => {
  test("are their owner's alone", async () => {
    verifies('RT-CONV-12', 'RT-CONV-2')
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'of-ada' })
    const path = '/api/v1/conversations/of-ada'
    expect((await api.call('GET', path)).status).toBe(200)
    for (const [method, at, body] of [
      ['GET', path],
      ['DELETE', path],
      ['GET', `${path}/stream`],
      ['POST', `${path}/cancel`],
      ['POST', `${path}/approvals/c1`, { approved: true }],
    ] as const)
      expect(await api.call(method, at, body, OTHER)).toMatchObject({
        status: 404,
        body: { status_code: 404 },
      })
    expect((await api.call('GET', '/api/v1/conversations', undefined, OTHER)).body.total).toBe(0)
  })

  test('are listed in pages, by agent, or all at once', async () => {
    verifies('RT-CONV-3', 'RT-CONV-7', 'RT-CONV-8', 'RT-CONV-9', 'RT-CONV-10')
    for (const agent of ['first', 'second', 'second'])
      await api.call('POST', `/api/v1/agents/${agent}/prompt/sync`, { message: 'x' })
    const all = (await api.call('GET', '/api/v1/conversations')).body
    expect(all).toMatchObject({ total: all.conversations.length, limit: null, offset: 0 })
    for (const one of all.conversations) expect(one).not.toHaveProperty('messages')
    const page = (await api.call('GET', '/api/v1/conversations?agent_id=second&limit=1&offset=1')).body
    expect(page).toMatchObject({ total: 2, limit: 1, offset: 1, conversations: [{ agent_id: 'second' }] })
    expect((await api.call('GET', '/api/v1/conversations?agent_id=none')).body).toMatchObject({ total: 0 })
  })

  test.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=many',
    'limit=1e2',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'offset=-1',
    'offset=x',
    'agent_id=',
    'agent_id=%00',
    'agentid=x',
    'status=',
    'status=done',
    'status=waiting,failed',
  ])('with ?%s are 422', async (query) => {
    verifies('RT-ERR-8', 'RT-ERR-5', 'RT-ERR-6')
    const answer = await api.call('GET', `/api/v1/conversations?${query}`)
    expect(answer).toMatchObject({ status: 422, body: { status_code: 422, errors: [expect.any(Object)] } })
  })

  test('have their messages in order', async () => {
    verifies('RT-CONV-1', 'RT-CONV-5', 'RT-CONV-6')
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'whole' })
    const at = '2026-01-01T00:00:00.000Z'
    const stored = { turnId: 't', createdAt: at, status: 'complete' as const }
    const result = { content: [{ type: 'text' as const, text: 'done' }] }
    api.messages.set('whole', [
      { ...stored, id: '1', message: { role: 'user', text: 'Do it.' } },
      {
        ...stored,
        id: '2',
        message: {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'I will.' },
            { type: 'tool_call', id: 'c1', name: 'files__do', args: { it: true } },
          ],
        },
        usage: { promptTokens: 4, completionTokens: 2, cacheReadTokens: 1 },
      },
      { ...stored, id: '3', message: { role: 'tool', callId: 'c1', name: 'files__do', result } },
      {
        ...stored,
        id: '4',
        status: 'partial',
        message: { role: 'assistant', parts: [{ type: 'text', text: 'It i' }] },
      },
    ])
    const { body } = await api.call('GET', '/api/v1/conversations/whole')
    expect(body).toEqual({
      id: 'whole',
      agent_id: 'guide',
      title: 'Hello',
      created_at: at,
      updated_at: at,
      status: 'idle',
      usage: { prompt_tokens: 3, completion_tokens: 2, cost_usd: 0.5 },
      pending_approvals: [],
      messages: [
        { id: '1', role: 'user', content: 'Do it.', created_at: at, status: 'complete' },
        {
          id: '2',
          role: 'assistant',
          content: 'I will.',
          created_at: at,
          tool_calls: [{ id: 'c1', name: 'files__do', args: { it: true }, status: 'complete' }],
          usage: { prompt_tokens: 4, completion_tokens: 2, cache_read_tokens: 1 },
          status: 'complete',
        },
        {
          id: '3',
          role: 'tool',
          content: 'done',
          created_at: at,
          tool_call_id: 'c1',
          result,
          status: 'complete',
        },
        { id: '4', role: 'assistant', content: 'It i', created_at: at, status: 'partial' },
      ],
    })
  })

  test('say why the last turn has no answer, or what it waits for', async () => {
    const stored = { turnId: 't', createdAt: '2026-01-01T00:00:00.000Z', status: 'complete' as const }
    const parts = ['c1', 'c2', 'c3'].map(
      (id) => ({ type: 'tool_call', id, name: 'rm', args: { id } }) as const,
    )
    const result = { content: [] }
    api.script.onPrompt = (turn) => turn.end({ ...NO_TURN, status: 'waiting' })
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'undecided' })
    api.messages.set('undecided', [
      { ...stored, id: '1', message: { role: 'assistant', parts } },
      { ...stored, id: '2', message: { role: 'tool', callId: 'c1', name: 'rm', result } },
    ])
    api.lastTurns.set('undecided', { pending: [{ id: 'c2', name: 'rm', args: { id: 'c2' } }] })
    const { body } = await api.call('GET', '/api/v1/conversations/undecided')
    expect(body).toMatchObject({
      status: 'waiting',
      pending_approvals: [{ call_id: 'c2', name: 'rm', arguments: { id: 'c2' } }],
      messages: [{ tool_calls: [{ status: 'complete' }, { status: 'waiting' }, { status: 'running' }] }, {}],
    })
    expect(body).not.toHaveProperty('error')

    api.script.onPrompt = (turn) => turn.end({ ...NO_TURN, status: 'failed' })
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'broken' })
    api.lastTurns.set('broken', { pending: [], error: { detail: 'No.', statusCode: 502 } })
    expect((await api.call('GET', '/api/v1/conversations/broken')).body).toMatchObject({
      error: { detail: 'No.', status_code: 502 },
      pending_approvals: [],
    })
    expect((await api.call('GET', '/api/v1/conversations?status=waiting')).body).toMatchObject({
      total: 1,
      conversations: [{ id: 'undecided' }],
    })
    api.script.onPrompt = (turn) => turn.end()
  })

  test('are deleted with a word', async () => {
    verifies('RT-CONV-4', 'RT-CONV-11', 'RT-CONV-2')
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'doomed' })
    const path = '/api/v1/conversations/doomed'
    expect(await api.call('DELETE', path)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    })
    expect((await api.call('GET', path)).status).toBe(404)
    expect((await api.call('DELETE', path)).status).toBe(404)
  })
})

describe('decisions', () => {
  const APPROVALS = '/api/v1/conversations/waits/approvals/c1'

  test('are handed on, and say whether the turn goes on', async () => {
    await api.call('POST', SYNC, { message: 'x', conversation_id: 'waits' })
    api.script.decide = 'running'
    expect((await api.call('POST', APPROVALS, { approved: true, args: { a: [1] } })).body).toMatchObject({
      conversation_id: 'waits',
      status: 'running',
    })
    api.script.decide = 'waiting'
    expect((await api.call('POST', APPROVALS, { approved: false, reason: 'No.' })).body.status).toBe(
      'waiting',
    )
    const request = { owner: 'ada', conversationId: 'waits', callId: 'c1' }
    expect(api.decisions).toEqual([
      { ...request, isApproved: true, args: { a: [1] } },
      { ...request, isApproved: false, reason: 'No.' },
    ])
    api.script.decide = new CallerError('conflict', 'It was decided already.')
    expect((await api.call('POST', APPROVALS, { approved: true })).status).toBe(409)
  })

  test.each<[object, string]>([
    [{}, 'approved'],
    [{ approved: 'yes' }, 'approved'],
    [{ approved: null }, 'approved'],
    [{ approved: true, args: [] }, 'args'],
    [{ approved: true, args: 'x' }, 'args'],
    [{ approved: true, args: null }, 'args'],
    [{ approved: false, args: {} }, 'args'],
    [{ approved: true, reason: 'x' }, 'reason'],
    [{ approved: false, reason: 1 }, 'reason'],
    [{ approved: false, reason: '\0' }, 'reason'],
    [{ approved: true, always: true }, 'always'],
  ])('%j is 422', async (body, field) => {
    verifies('RT-ERR-5', 'RT-ERR-6')
    const answer = await api.call('POST', APPROVALS, body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toContain(field)
  })
})
