import { type BaseEvent, HttpAgent, type RunAgentParameters } from '@ag-ui/client'
import { EventType } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { verifies } from '@quire/spec/verifies'
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
import { input } from './ag-ui.fixture.ts'

const served = await startTransports()
const { scripted } = served
afterAll(served.close)

function agentFor(threadId: string): HttpAgent {
  return new HttpAgent({ url: `${served.url}/ag-ui/guide`, threadId, headers: { ...AS_ADA } })
}

/** What its client makes of a run: every event is of the protocol, and the client's own checks of their order have passed. */
async function run(
  agent: HttpAgent,
  parameters: RunAgentParameters = {},
  prompt?: string,
): Promise<BaseEvent[]> {
  const events: BaseEvent[] = []
  if (prompt !== undefined) agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: prompt })
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) })
  for (const event of events) expect(EventSchemas.safeParse(event).error).toBeUndefined()
  return events
}

const types = (events: readonly BaseEvent[]) => events.map(({ type }) => type)
test('a client of AG-UI gets text, tool calls, their results and the usage', async () => {
  verifies('RT-TRANSPORT-2')
  scripted.play({ acts: [text('Let me '), text('see.'), call('c1'), result('c1'), text('It is three.')] })
  const agent = agentFor('ag-1')
  const events = await run(agent, { runId: 'run-1' }, 'one and two?')
  expect(types(events)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'TOOL_CALL_RESULT',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  expect(events[0]).toMatchObject({ threadId: 'ag-1', runId: 'run-1', protocolVersion: '1.0' })
  expect(events.at(-1)).toEqual({
    type: EventType.RUN_FINISHED,
    threadId: 'ag-1',
    runId: 'run-1',
    outcome: { type: 'success' },
    usage: [
      {
        provider: 'builtin',
        model: 'guide',
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cachedInputTokens: 4,
      },
    ],
  })
  expect(agent.messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: 'Let me see.',
      toolCalls: [{ id: 'c1', function: { name: 'add', arguments: '{"a":1}' } }],
    },
    { role: 'tool', toolCallId: 'c1', content: 'three' },
    { role: 'assistant', content: 'It is three.' },
  ])
  expect(scripted.prompts.at(-1)).toMatchObject({
    owner: 'ada',
    agentId: 'guide',
    conversationId: 'ag-1',
    message: 'one and two?',
  })
})

test('of the messages the last is the prompt, and the context reaches the agent', async () => {
  scripted.play({ acts: [text('First.')] }, { acts: [text('Second.')] })
  const agent = agentFor('ag-2')
  await run(agent, {}, 'one')
  await run(agent, { context: [{ description: 'The page', value: 'Accounts' }] }, 'two')
  expect(scripted.prompts.at(-1)).toMatchObject({ message: 'two' })
  expect(scripted.prompts.at(-1)?.extraInstructions).toContain('The page: Accounts')
})

test('a run that waits for a decision is interrupted, and goes on with it', async () => {
  scripted.play({
    acts: [text('May I?'), call('c1'), call('c2'), asked('c1'), asked('c2')],
    after: [result('c1'), result('c2', 'refused', true), text('Done.')],
  })
  const agent = agentFor('ag-3')
  const stopped = await run(agent, {}, 'delete all')
  expect(stopped.at(-1)).toMatchObject({
    outcome: {
      type: 'interrupt',
      interrupts: [
        { id: 'c1', toolCallId: 'c1', reason: 'tool_call', metadata: { name: 'add', args: { a: 1 } } },
        { id: 'c2', toolCallId: 'c2' },
      ],
    },
  })
  const resume = [
    { interruptId: 'c1', status: 'resolved' as const, payload: { approved: true, args: { a: 2 } } },
    { interruptId: 'c2', status: 'cancelled' as const },
  ]
  const events = await run(agent, { resume })
  expect(types(events)).toEqual([
    'RUN_STARTED',
    'TOOL_CALL_RESULT',
    'TOOL_CALL_RESULT',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  expect(events.at(-1)).toMatchObject({
    outcome: { type: 'success' },
    usage: [{ inputTokens: 10, outputTokens: 5 }],
  })
  expect(scripted.decisions.slice(-2)).toMatchObject([
    { owner: 'ada', callId: 'c1', isApproved: true, args: { a: 2 } },
    { callId: 'c2', isApproved: false },
  ])
})

test('a run that answers some of what is asked is interrupted for the rest', async () => {
  scripted.play({ acts: [call('c1'), call('c2'), asked('c1'), asked('c2')], after: [text('Done.')] })
  await run(agentFor('ag-4'), {}, 'go')
  const answer = (interruptId: string, agent = 'guide') =>
    served.call(
      `/ag-ui/${agent}`,
      post(input('ag-4', { messages: [], resume: [{ interruptId, status: 'resolved', payload: true }] })),
    )
  expect((await answer('c1', 'other')).status).toBe(404)
  expect((await readEvents(await answer('c1'))).at(-1)).toMatchObject({
    outcome: { type: 'interrupt', interrupts: [{ id: 'c2' }] },
  })
  expect((await answer('c1')).status).toBe(409)
  expect((await readEvents(await answer('c2'))).at(-1)).toMatchObject({ outcome: { type: 'success' } })
  expect((await answer('c2')).status).toBe(409)
})

test('a failure is the last event, with what was used until then', async () => {
  const error = { detail: 'The provider is down.', statusCode: 503 }
  scripted.play({ acts: [text('Well')], end: { status: 'failed', error } })
  const events = await readEvents(await served.call('/ag-ui/guide', post(input('ag-5'))))
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: error.detail, code: '503', usage: [{}] })
  expect(events.map((event) => EventSchemas.safeParse(event).success)).not.toContain(false)
  scripted.play({ acts: [text('We')], end: { status: 'interrupted' } })
  const cut = await readEvents(await served.call('/ag-ui/guide', post(input('ag-5'))))
  expect(cut.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: '503' })
})

test('whoever leaves does not stop the turn; cancelling does, and the run says so', async () => {
  const first = gate()
  scripted.play({ acts: [text('a'), first.wait, text('b')] })
  const left = new AbortController()
  const response = await served.call('/ag-ui/guide', { ...post(input('ag-6')), signal: left.signal })
  await response.body?.getReader().read()
  left.abort()
  await expect.poll(() => served.sse.size()).toBe(0)
  await expect.poll(() => scripted.readersOf('ag-6')).toBe(0)
  expect(scripted.statusOf('ag-6')).toBe('running')
  first.open()
  await expect.poll(() => scripted.statusOf('ag-6')).toBe('complete')

  scripted.play({ acts: [text('a'), gate().wait] })
  const running = served.call('/ag-ui/guide', post(input('ag-6'))).then(readEvents)
  await expect.poll(() => scripted.statusOf('ag-6')).toBe('running')
  await scripted.turns.cancel('ada', 'ag-6')
  expect((await running).at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
})

test('a conversation that is busy, or of somebody else, or of another agent, takes no run', async () => {
  const held = gate()
  scripted.play({ acts: [held.wait] })
  const running = served.call('/ag-ui/guide', post(input('ag-7'))).then(readEvents)
  await expect.poll(() => scripted.statusOf('ag-7')).toBe('running')
  expect((await served.call('/ag-ui/guide', post(input('ag-7')))).status).toBe(409)
  expect((await served.call('/ag-ui/guide', { ...post(input('ag-7')), as: OTHER })).status).toBe(404)
  expect((await served.call('/ag-ui/other', post(input('ag-7')))).status).toBe(409)
  const resume = [{ interruptId: 'c1', status: 'resolved', payload: true }]
  expect((await served.call('/ag-ui/guide', post(input('ag-7', { resume })))).status).toBe(409)
  held.open()
  await running
})

test('silence is filled with comments', async () => {
  const quick = await startTransports({ heartbeatMs: 15 })
  try {
    const held = gate()
    quick.scripted.play({ acts: [held.wait] })
    const response = await quick.call('/ag-ui/guide', post(input('ag-8')))
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!seen.includes(': keep-alive')) seen += (await reader?.read())?.value ?? ''
    held.open()
    await reader?.cancel()
  } finally {
    await quick.close()
  }
})

test('a stream that breaks on our side says so, without its internals', async () => {
  scripted.play({ acts: [text('a')] })
  const { join, prompt } = scripted.turns
  scripted.turns.prompt = async (request) => ({
    ...(await prompt(request)),
    async *frames() {
      yield { id: 't.1.1', frame: { type: 'text', content: 'a' } }
      throw new Error('the password is hunter2')
    },
  })
  try {
    const events = await readEvents(await served.call('/ag-ui/guide', post(input('ag-9'))))
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: '500' })
    expect(JSON.stringify(events)).not.toContain('hunter2')
  } finally {
    Object.assign(scripted.turns, { join, prompt })
  }
})

test('parts of text are one prompt', async () => {
  scripted.play({ acts: [] })
  const content = [
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
  ]
  await readEvents(
    await served.call('/ag-ui/guide', post(input('ag-10', { messages: [{ role: 'user', content }] }))),
  )
  expect(scripted.prompts.at(-1)?.message).toBe('one\ntwo')
})

test('its root says what it is, and lists the agents', async () => {
  const root = await served.call('/ag-ui/', { as: READER })
  expect(await root.json()).toMatchObject({ protocol: 'ag-ui', version: '1.0' })
  const list = await served.call('/ag-ui/agents', { as: READER })
  expect(await list.json()).toEqual({
    agents: [
      { id: 'guide', name: 'The guide', description: 'Knows the way.', endpoint: '/api/v1/ag-ui/guide' },
      { id: 'other', name: 'The other', description: '', endpoint: '/api/v1/ag-ui/other' },
    ],
    count: 2,
  })
})
