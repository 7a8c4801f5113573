import { verifies } from '@quire/spec/verifies'
import {
  DefaultChatTransport,
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import { afterAll, expect, test } from 'vitest'
import {
  AS_ADA,
  asked,
  call,
  gate,
  OTHER,
  post,
  READER,
  readEvents,
  result,
  startTransports,
  text,
} from '../transports.fixture.ts'
import { request, user } from './vercel-ai.fixture.ts'

const served = await startTransports()
const { scripted } = served
afterAll(served.close)

const transport = new DefaultChatTransport({ api: `${served.url}/vercel-ai/guide`, headers: AS_ADA })
function send(chatId: string, messages: UIMessage[]) {
  return transport.sendMessages({
    chatId,
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  })
}

/** What the SDK makes of a stream: its last state of the message. */
async function read(
  stream: ReadableStream<UIMessageChunk>,
  message?: UIMessage,
): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined
  for await (const state of readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(message && { message }),
  }))
    last = state
  return last
}

test('the default transport of useChat gets text, tool calls and their results', async () => {
  verifies('RT-TRANSPORT-3')
  scripted.play({
    acts: [
      text('Let me '),
      text('see.'),
      call('c1'),
      call('c2', 'divide'),
      result('c1'),
      result('c2', 'by zero', true),
      text('Three.'),
    ],
  })
  const message = await read(await send('v-1', [user('one and two?')]))
  expect(message).toMatchObject({
    id: 't1',
    role: 'assistant',
    metadata: { conversation_id: 'v-1', usage: { prompt_tokens: 10, completion_tokens: 5 } },
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'Let me see.', state: 'done' },
      {
        type: 'dynamic-tool',
        toolName: 'add',
        toolCallId: 'c1',
        state: 'output-available',
        input: { a: 1 },
        output: { content: [{ type: 'text', text: 'three' }] },
      },
      { type: 'dynamic-tool', toolCallId: 'c2', state: 'output-error', errorText: 'by zero' },
      { type: 'step-start' },
      { type: 'text', text: 'Three.' },
    ],
  })
  expect(scripted.prompts.at(-1)).toMatchObject({
    owner: 'ada',
    conversationId: 'v-1',
    message: 'one and two?',
  })
})

test('the stream is of version 1, every chunk of it is one of the SDK, and it ends as it should', async () => {
  scripted.play({ acts: [text('Hi'), call('c1'), result('c1')] })
  const response = await served.call('/vercel-ai/guide', post(request('v-2')))
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(response.headers.get('x-conversation-id')).toBe('v-2')
  const [forSchema, forText] = response.body?.tee() ?? []
  if (!forSchema || !forText) throw new Error('there is no body')
  const types: string[] = []
  const chunks = parseJsonEventStream({ stream: forSchema, schema: uiMessageChunkSchema })
  for await (const chunk of chunks) types.push(chunk.success ? chunk.value.type : String(chunk.error))
  expect(types).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'tool-input-start',
    'tool-input-available',
    'tool-output-available',
    'finish-step',
    'finish',
  ])
  expect(await new Response(forText).text()).toMatch(/data: \[DONE\]\n\n$/)
})

test('a call that waits is asked about, and the same message goes on once it is decided', async () => {
  scripted.play({ acts: [call('c1'), asked('c1')], after: [result('c1'), text('Done.')] })
  const asks = await read(await send('v-3', [user('go')]))
  const [, part] = asks?.parts ?? []
  expect(part).toMatchObject({ toolCallId: 'c1', state: 'approval-requested', approval: { id: 'c1' } })
  if (part?.type !== 'dynamic-tool' || !asks) throw new Error('there is no call')
  const decided = {
    ...asks,
    parts: [
      { type: 'step-start' },
      { ...part, state: 'approval-responded', approval: { id: 'c1', approved: true } },
    ],
  } as UIMessage
  const answer = await read(await send('v-3', [user('go'), decided]), decided)
  expect(answer).toMatchObject({
    id: asks.id,
    parts: [{}, { toolCallId: 'c1', state: 'output-available' }, {}, { type: 'text', text: 'Done.' }],
  })
  expect(scripted.decisions.at(-1)).toMatchObject({ owner: 'ada', callId: 'c1', isApproved: true })
})

test('a call that was refused tells the model why', async () => {
  scripted.play({ acts: [call('c1'), asked('c1')], after: [result('c1', 'no', true)] })
  await read(await send('v-4', [user('go')]))
  const part = { type: 'dynamic-tool', toolCallId: 'c1', state: 'approval-responded' }
  const refused = {
    role: 'assistant',
    parts: [{ ...part, approval: { id: 'c1', approved: false, reason: 'Too dear.' } }],
  }
  const chunks = await readEvents(
    await served.call('/vercel-ai/guide', post(request('v-4', { messages: [refused] }))),
  )
  expect(chunks).toMatchObject([
    { type: 'start' },
    { type: 'tool-output-error' },
    { type: 'finish' },
    '[DONE]',
  ])
  expect(scripted.decisions.at(-1)).toMatchObject({ isApproved: false, reason: 'Too dear.' })
})

test('a chat is joined again from the beginning of its turn while it runs, and not after', async () => {
  const held = gate()
  scripted.play({ acts: [text('One, '), held.wait, text('two.')] })
  const first = await send('v-5', [user('count')])
  await expect.poll(() => scripted.statusOf('v-5')).toBe('running')
  const again = await transport.reconnectToStream({ chatId: 'v-5' })
  if (!again) throw new Error('there is no stream')
  held.open()
  const [one, two] = await Promise.all([read(first), read(again)])
  expect(two).toEqual(one)
  expect(two?.parts.at(-1)).toMatchObject({ text: 'One, two.' })
  expect(await transport.reconnectToStream({ chatId: 'v-5' })).toBeNull()
  expect(await transport.reconnectToStream({ chatId: 'never-seen' })).toBeNull()
  expect(await transport.reconnectToStream({ chatId: 'odd id?' })).toBeNull()
})

test('whoever has part of a turn is sent the rest', async () => {
  const held = gate()
  scripted.play({ acts: [text('One, '), text('two, '), held.wait, text('three.')] })
  const first = await served.call('/vercel-ai/guide', post(request('v-6')))
  const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('two')) seen += (await reader?.read())?.value ?? ''
  const [, place = ''] = /id: (\S+)\ndata: \{"type":"text-delta","id":"[^"]+","delta":"One/.exec(seen) ?? []
  const rest = served
    .call('/vercel-ai/guide/v-6/stream', { headers: { 'last-event-id': place } })
    .then(readEvents)
  await expect.poll(() => served.sse.size()).toBe(2)
  held.open()
  await reader?.cancel()
  expect(await rest).toMatchObject([
    { type: 'start' },
    { type: 'start-step' },
    { type: 'text-start' },
    { delta: 'two, ' },
    { delta: 'three.' },
    { type: 'text-end' },
    { type: 'finish-step' },
    { type: 'finish' },
    '[DONE]',
  ])
})

test('nobody joins the chat of another, or by another agent', async () => {
  const held = gate()
  scripted.play({ acts: [held.wait] })
  const running = served.call('/vercel-ai/guide', post(request('v-7'))).then(readEvents)
  await expect.poll(() => scripted.statusOf('v-7')).toBe('running')
  expect((await served.call('/vercel-ai/guide/v-7/stream', { as: OTHER })).status).toBe(204)
  expect((await served.call('/vercel-ai/other/v-7/stream')).status).toBe(204)
  expect((await served.call('/vercel-ai/nobody/v-7/stream')).status).toBe(404)
  expect((await served.call('/vercel-ai/guide', { ...post(request('v-7')), as: OTHER })).status).toBe(404)
  expect((await served.call('/vercel-ai/other', post(request('v-7')))).status).toBe(409)
  const busy = await served.call('/vercel-ai/guide', post(request('v-7')))
  expect([busy.status, await busy.json()]).toMatchObject([
    409,
    { detail: expect.stringContaining('under way') },
  ])
  held.open()
  await running
})

test('a failure, a cancelled turn and one that was cut off end the stream each in its way', async () => {
  const error = { detail: 'The provider is down.', statusCode: 503 }
  scripted.play({ acts: [text('Well')], end: { status: 'failed', error } })
  const failed = await readEvents(await served.call('/vercel-ai/guide', post(request('v-8'))))
  expect(failed.slice(-4)).toMatchObject([
    { type: 'finish-step' },
    { type: 'error', errorText: error.detail },
    { type: 'finish', finishReason: 'error' },
    '[DONE]',
  ])
  scripted.play({ acts: [], end: { status: 'interrupted' } })
  const cut = await readEvents(await served.call('/vercel-ai/guide', post(request('v-8'))))
  expect(cut).toMatchObject([{ type: 'start' }, { type: 'error' }, { type: 'finish' }, '[DONE]'])
  scripted.play({ acts: [text('a'), gate().wait] })
  const running = served.call('/vercel-ai/guide', post(request('v-8'))).then(readEvents)
  await expect.poll(() => scripted.statusOf('v-8')).toBe('running')
  await scripted.turns.cancel('ada', 'v-8')
  expect((await running).slice(-2)).toMatchObject([{ type: 'abort' }, '[DONE]'])
})

test('whoever leaves does not stop the turn', async () => {
  const held = gate()
  scripted.play({ acts: [text('a'), held.wait, text('b')] })
  const left = new AbortController()
  const response = await served.call('/vercel-ai/guide', { ...post(request('v-9')), signal: left.signal })
  await response.body?.getReader().read()
  left.abort()
  await expect.poll(() => served.sse.size()).toBe(0)
  await expect.poll(() => scripted.readersOf('v-9')).toBe(0)
  expect(scripted.statusOf('v-9')).toBe('running')
  held.open()
  await expect.poll(() => scripted.statusOf('v-9')).toBe('complete')
})

test('its root says what it is, and lists the agents', async () => {
  const root = await served.call('/vercel-ai', { as: READER })
  expect(await root.json()).toMatchObject({ protocol: 'vercel-ai', version: 'v1' })
  const list = await served.call('/vercel-ai/agents', { as: READER })
  expect(await list.json()).toMatchObject({ agents: [{ endpoint: '/api/v1/vercel-ai/guide' }, {}], count: 2 })
})
