import { getEventListeners } from 'node:events'
import { createGate } from '@quire/testbed/model-peer/script'
import { describe, expect, test } from 'vitest'
import {
  ask,
  CANARY,
  collect,
  createTestClock,
  failAt,
  failureOf,
  GUIDE,
  openAt,
  startPeer,
  TOOLS,
  textOfEvents,
} from '../models.fixture.ts'
import { createModels } from '../models.ts'
import { DONE, ID, LAST, openServed, say } from './chat.fixture.ts'

describe('a server that takes no question for the tokens', () => {
  const refusal = (message: string, status = 400) => ({ status, body: { error: { message } } })
  const asked = (body: unknown) => 'stream_options' in Object(body)

  test.each([
    'Unrecognized request argument supplied: stream_options',
    'Unknown field in the body',
    'Extra inputs are not permitted',
  ])('%j is asked without it, from then on', async (words) => {
    const peer = await startPeer([refusal(words), { acts: [{ text: 'a' }] }, { acts: [{ text: 'b' }] }])
    const model = await openAt(peer, ID)
    expect(textOfEvents(await collect(model.stream(ask())))).toBe('a')
    expect(textOfEvents(await collect(model.stream(ask())))).toBe('b')
    expect(peer.requests.map(({ body }) => asked(body))).toStrictEqual([true, false, false])
  })

  test('and no request at all is not thought of so', async () => {
    const peer = await startPeer([
      refusal('stream_options'),
      refusal('no, really'),
      { acts: [{ text: 'b' }] },
    ])
    const model = await openAt(peer, ID)
    const { error } = await failureOf(model.stream(ask()))
    expect(error).toMatchObject({ fault: 'refused', message: expect.stringContaining('no, really') })
    await collect(model.stream(ask()))
    expect(peer.requests.map(({ body }) => asked(body))).toStrictEqual([true, false, true])
  })

  test('is known by all models of its address', async () => {
    const peer = await startPeer([
      refusal('stream_options'),
      { acts: [{ text: 'a' }] },
      { acts: [{ text: 'b' }] },
    ])
    const environment = { OLLAMA_BASE_URL: peer.url }
    const models = createModels({ environment, guide: GUIDE, retries: 0 })
    for (const id of ['ollama:one', 'ollama:two']) await collect((await models.open(id)).stream(ask()))
    expect(peer.requests.map(({ body }) => asked(body))).toStrictEqual([true, false, false])
  })
})

test.each<[string, string, string]>([
  [
    'a JSON body',
    'application/json',
    JSON.stringify({ choices: [{ message: { content: 'Good day' }, finish_reason: 'stop' }] }),
  ],
  [
    'an event',
    'text/event-stream',
    `data: ${JSON.stringify({ choices: [{ message: { content: 'Good day' }, finish_reason: 'stop' }] })}\n\n`,
  ],
  ['a stream of no type', '', `${say('Good day')}${LAST}`],
  [
    'a stream of CR LF',
    'text/event-stream; charset=utf-8',
    `${say('Good ')}${say('day')}${LAST}${DONE}`.replaceAll('\n', '\r\n'),
  ],
  [
    'a stream with more after its end',
    'text/event-stream',
    `${say('Good day')}${LAST}${DONE}${say('!')}data: {oops\n\n`,
  ],
])('the whole answer as %s', async (_, type, body) => {
  const model = await openServed((_request, response) => {
    if (type !== '') response.setHeader('content-type', type)
    response.end(body)
  })
  const events = await collect(model.stream(ask()))
  expect(textOfEvents(events)).toBe('Good day')
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
})

test.each<[string, string]>([
  ['JSON of another shape', '{"what":"ever"}'],
  ['half of a JSON', '{"choices":[{"mess'],
  ['nothing', ''],
])('%s as a body is garbled', async (_, body) => {
  const headers = { 'content-type': 'application/json' }
  expect((await failAt(ID, [{ status: 200, headers, body }])).error.fault).toBe('garbled')
})

test.each<[string, string]>([
  ['no JSON', '{oops'],
  ['a number', '7'],
  ['null', 'null'],
  ['another shape', '{"choices":[{"delta":{"content":{}}}]}'],
  ['very deep JSON', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  ['an error of no sense', '{"error":[[]]}'],
])('%s in the middle is garbled, after what came before', async (_, data) => {
  const { error, before } = await failAt(ID, [
    { acts: [{ raw: `${say('half')}data: ${data}\n\n` }, { gate: createGate() }] },
  ])
  expect(error.fault).toBe('garbled')
  expect(textOfEvents(before)).toBe('half')
})

test('a connection that is cut after the reason of the end leaves a whole answer', async () => {
  const peer = await startPeer([{ acts: [{ raw: `${say('all')}${LAST}` }, { cut: true }] }])
  const events = await collect((await openAt(peer, ID)).stream(ask()))
  expect(textOfEvents(events)).toBe('all')
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
})

test('the end of the answer is told though the server does not hang up, which it is left to for a second', async () => {
  const clock = createTestClock()
  const peer = await startPeer([{ acts: [{ raw: `${say('all')}${LAST}${DONE}` }, { gate: createGate() }] }])
  const events = await collect((await openAt(peer, ID, { clock })).stream(ask()))
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  expect(clock.running()).toBe(1)
  clock.expire(1_000)
  expect(await peer.requests[0]?.isHungUp).toBe(true)
  expect(clock.running()).toBe(0)
})

test.each<[string, readonly object[]]>([
  ['an answer', [{ acts: [{ text: 'a' }] }]],
  ['a refusal', [{ status: 400, body: { error: 'no' } }]],
  ['a cut', [{ acts: [{ text: 'a' }, { cut: true }] }]],
])('%s leaves no timer and no listener', async (_, script) => {
  const clock = createTestClock()
  // The table's rows are turns of a script.
  const peer = await startPeer(script as Parameters<typeof startPeer>[0])
  const { signal } = new AbortController()
  await collect((await openAt(peer, ID, { clock })).stream(ask({ signal }))).catch((error: Error) => error)
  await expect.poll(() => clock.running()).toBe(0)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a request says what it is, whose it is, and that it takes nothing compressed', async () => {
  const peer = await startPeer([{ acts: [{ text: 'a' }] }])
  await collect((await openAt(peer, ID)).stream(ask({ system: 'Sé breve 日本.' })))
  expect(peer.requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': 'quire' },
    body: { model: 'm', messages: [{ role: 'system', content: 'Sé breve 日本.' }, { role: 'user' }] },
  })
})

test('Gemini gets its signature back', async () => {
  const peer = await startPeer([{ acts: [{ text: 'a' }] }])
  const metadata = { google: { thoughtSignature: 'sig' } }
  const parts = [{ type: 'tool_call', id: 'c', name: 'add', args: {}, metadata } as const]
  await collect(
    (await openAt(peer, ID)).stream(ask({ messages: [{ role: 'assistant', parts }], tools: TOOLS })),
  )
  const [message, result] = Object(peer.requests[0]?.body).messages
  expect(message).toMatchObject({
    content: null,
    tool_calls: [{ id: 'c', extra_content: { google: { thought_signature: 'sig' } } }],
  })
  expect(result).toMatchObject({
    role: 'tool',
    tool_call_id: 'c',
    content: expect.stringContaining('interrupted'),
  })
})

test('the key is in no message, whatever the server says of it', async () => {
  const { error } = await failAt(ID, [
    { acts: [{ raw: `data: {"error":{"message":"${CANARY} is bad"}}\n\n` }] },
  ])
  expect(error.message).toContain('*** is bad')
})

test('a reader that leaves before the answer begins leaves no connection', async () => {
  const peer = await startPeer([{ acts: [{ text: 'a' }, { gate: createGate() }] }])
  const events = (await openAt(peer, ID)).stream(ask())[Symbol.asyncIterator]()
  const first = events.next()
  await events.return?.()
  await first
  expect(await peer.requests[0]?.isHungUp).toBe(true)
})
