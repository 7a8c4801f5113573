import { describe, expect, onTestFinished, test } from 'vitest'
import { type ModelPeer, startModelPeer } from './model-peer.ts'
import { type Act, createGate, preparedAnswer, type Turn } from './script.ts'

const ACTS: readonly Act[] = [
  { text: 'é' },
  { call: 'c1', name: 'add' },
  { args: '{"a"', of: 'c1' },
  { args: ':1}', of: 'c1' },
]

async function start(script: Turn | readonly Turn[]): Promise<ModelPeer> {
  const peer = await startModelPeer(script)
  onTestFinished(() => peer.close())
  return peer
}

function post(peer: ModelPeer, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${peer.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** The data of the events, parsed where it is JSON. */
async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
  return lines.map((line) => JSON.parse(line.slice(6)))
}

describe('the wires', () => {
  test('chat completions', async () => {
    const peer = await start([{ acts: ACTS, usage: { input: 3, output: 2, cacheRead: 1 } }])
    const response = await post(peer, '/v1/chat/completions', {
      model: 'm',
      stream_options: { include_usage: true },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await eventsOf(response)
    expect(events.map(({ choices }) => Object(choices)[0]?.delta)).toStrictEqual([
      { role: 'assistant', content: '' },
      { content: 'é' },
      { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      {},
      undefined,
    ])
    expect(Object(events.at(-2)?.choices)[0].finish_reason).toBe('tool_calls')
    expect(events.at(-1)?.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 2 })
  })

  test('responses', async () => {
    const peer = await start([{ acts: ACTS }])
    const events = await eventsOf(await post(peer, '/v1/responses', { model: 'm' }))
    expect(events.map(({ type }) => type)).toStrictEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toStrictEqual(
      events.map((_, index) => index),
    )
    expect(events.at(-2)?.item).toMatchObject({ type: 'function_call', call_id: 'c1', arguments: '{"a":1}' })
  })

  test('messages', async () => {
    const peer = await start([{ acts: ACTS }])
    const events = await eventsOf(await post(peer, '/v1/messages', { model: 'm' }))
    expect(events.map(({ type, index }) => `${type} ${index ?? ''}`.trim())).toStrictEqual([
      'message_start',
      'ping',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2)?.delta).toMatchObject({ stop_reason: 'tool_use' })
  })
})

test('requests are recorded, and past the script there is nothing', async () => {
  const peer = await start([{ status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow' } }])
  const response = await post(peer, '/any/path?x=1', { a: 1 })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toStrictEqual({ error: 'slow' })
  expect(peer.requests).toMatchObject([{ method: 'POST', path: '/any/path?x=1', body: { a: 1 } }])
  expect(await peer.requests[0]?.isHungUp).toBe(false)
  expect((await post(peer, '/v1/messages', {})).status).toBe(418)
})

test('silence lasts until the gate is opened', async () => {
  const gate = createGate()
  const peer = await start([{ acts: [{ text: 'before' }, { gate }, { text: 'after' }] }])
  const response = await post(peer, '/v1/chat/completions', { model: 'm' })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('before')) seen += (await reader?.read())?.value
  expect(seen).not.toContain('after')
  gate.open()
  while (!seen.includes('[DONE]')) seen += (await reader?.read())?.value
  expect(seen).toContain('after')
})

test.each<[string, Turn]>([
  ['an act', { acts: [{ text: 'half' }, { cut: true }] }],
  ['a number of bytes', { acts: [{ text: 'half' }], cutAfterBytes: 30 }],
])('a connection is cut by %s', async (_, turn) => {
  const peer = await start([turn])
  const response = await post(peer, '/v1/messages', { model: 'm' })
  await expect(response.text()).rejects.toThrow()
})

test('a body without end ends with its reader, and with the peer', async () => {
  const peer = await start({ acts: [{ endless: true }] })
  const abort = new AbortController()
  const response = await post(peer, '/v1/messages', { model: 'm' }, abort.signal)
  await response.body?.getReader().read()
  abort.abort()
  expect(await peer.requests[0]?.isHungUp).toBe(true)
})

test('a prepared answer is the same each time, and leaves no records', async () => {
  const peer = await start(preparedAnswer(20))
  const answers = []
  for (let times = 0; times < 3; times++)
    answers.push(await (await post(peer, '/v1/chat/completions', { model: 'm' })).text())
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]?.match(/word \d+/g)).toHaveLength(20)
  expect(peer.requests).toHaveLength(0)
})
