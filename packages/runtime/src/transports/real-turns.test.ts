import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpAgent } from '@ag-ui/client'
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  allMessages,
  calls,
  ends,
  type Script,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
} from '../turns/turns.fixture.ts'
import { answerTo, collect, connect, sending, summary } from './a2a/a2a.fixture.ts'
import { AS_ADA, type ServedTransports, serveTransports, TOKEN } from './transports.fixture.ts'

let folder: string
let engine: TestProcess
let served: ServedTransports
let script: Script
const used: unknown[] = []

const add = toolNamed('add', async (args) => {
  used.push(args)
  return { content: [{ type: 'text', text: 'three' }] }
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-transports-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function start(): Promise<void> {
  engine = await startProcess(`sqlite:${join(folder, 'runtime.db')}`, {
    script: (request) => script(request),
    toolList: [add],
  })
  served = await serveTransports(engine)
}
async function stop(): Promise<void> {
  await served.close()
  await engine.stop()
}
beforeEach(start)
afterEach(stop)

/** Calls the tool, and tells what it answered. */
const usesTheTool: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? [says('It is '), says('three.'), ends()]
    : [says('Let me see. '), calls('c1', 'add', { a: 1 }), ends()]

function agUi(threadId: string, agent: string): HttpAgent {
  return new HttpAgent({ url: `${served.url}/ag-ui/${agent}`, threadId, headers: { ...AS_ADA } })
}

function chatWith(agent: string, id: string): AbstractChat<UIMessageOfChat> {
  const messages: UIMessageOfChat[] = []
  return new Chat({
    id,
    transport: new DefaultChatTransport({ api: `${served.url}/vercel-ai/${agent}`, headers: AS_ADA }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    state: {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void messages.push(message),
      popMessage: () => void messages.pop(),
      replaceMessage: (index, message) => void messages.splice(index, 1, message),
      snapshot: (thing) => structuredClone(thing),
    },
  })
}

type UIMessageOfChat = ConstructorParameters<typeof AbstractChat>[0]['state']['messages'][number]
class Chat extends AbstractChat<UIMessageOfChat> {}

test('one conversation goes on over all three', async () => {
  script = usesTheTool
  const agent = agUi('shared', 'writer')
  agent.addMessage({ id: 'm1', role: 'user', content: 'one' })
  await agent.runAgent()
  expect(agent.messages.slice(1)).toMatchObject([
    { role: 'assistant', content: 'Let me see. ', toolCalls: [{ id: 'c1', function: { name: 'add' } }] },
    { role: 'tool', toolCallId: 'c1', content: 'three' },
    { role: 'assistant', content: 'It is three.' },
  ])

  const chat = chatWith('writer', 'shared')
  await chat.sendMessage({ text: 'two' })
  expect(chat.lastMessage?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me see. ' },
    { type: 'dynamic-tool', state: 'output-available', input: { a: 1 } },
    { type: 'step-start' },
    { type: 'text', text: 'It is three.' },
  ])

  const client = await connect(served.url, TOKEN, 'writer')
  const task = summary(await client.sendMessage(sending('three', { contextId: 'shared' })))
  expect(task).toMatchObject({ state: 'TASK_STATE_COMPLETED', contextId: 'shared' })
  const { tasks } = await client.listTasks({
    tenant: '',
    contextId: 'shared',
    status: 3,
    pageToken: '',
    statusTimestampAfter: undefined,
    includeArtifacts: true,
  })
  const answer = { parts: [{ content: { value: 'Let me see. It is three.' } }] }
  expect(tasks).toMatchObject([{ artifacts: [answer] }, { artifacts: [answer] }, { artifacts: [answer] }])
  const prompts = (await allMessages(engine, 'shared')).flatMap(({ message }) =>
    message.role === 'user' ? [message.text] : [],
  )
  expect(prompts).toEqual(['one', 'two', 'three'])
})

test('AG-UI: a call that waits survives a restart, and the run that decides it shows only what is new', async () => {
  script = usesTheTool
  const before = agUi('ag-wait', 'careful')
  before.addMessage({ id: 'm1', role: 'user', content: 'go' })
  await before.runAgent()
  expect(before.pendingInterrupts).toMatchObject([{ id: 'c1', toolCallId: 'c1' }])
  await stop()
  await start()
  const agent = agUi('ag-wait', 'careful')
  agent.setMessages(before.messages)
  const types: string[] = []
  const resume = [
    { interruptId: 'c1', status: 'resolved' as const, payload: { approved: true, args: { a: 2 } } },
  ]
  await agent.runAgent({ resume }, { onEvent: ({ event }) => void types.push(event.type) })
  expect([...new Set(types)]).toEqual([
    'RUN_STARTED',
    'TOOL_CALL_RESULT',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  expect(used.at(-1)).toEqual({ a: 2 })
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'It is three.' })
})

test('useChat: a call is approved in the chat, and the same message goes on', async () => {
  script = usesTheTool
  const chat = chatWith('careful', 'chat-wait')
  await chat.sendMessage({ text: 'go' })
  expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ state: 'approval-requested' })
  await chat.addToolApprovalResponse({ id: 'c1', approved: true })
  await expect
    .poll(() => chat.lastMessage?.parts.at(-1))
    .toMatchObject({ type: 'text', text: 'It is three.' })
  await expect.poll(() => chat.status).toBe('ready')
  expect(chat.error).toBeUndefined()
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  await chat.sendMessage({ text: 'thanks' })
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('useChat: a chat that was left is joined again, and shows all of its turn', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  script = async function* () {
    yield says('One, ')
    await promise
    yield says('two.')
    yield ends()
  }
  const left = chatWith('writer', 'chat-left')
  const sending = left.sendMessage({ text: 'count' })
  await expect.poll(() => left.lastMessage?.parts.at(-1)).toMatchObject({ text: 'One, ' })
  await left.stop()
  await sending
  const chat = chatWith('writer', 'chat-left')
  const joined = chat.resumeStream()
  await expect.poll(() => chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'One, ' })
  resolve()
  await joined
  expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'One, two.', state: 'done' })
})

test('A2A: tasks outlive a restart, the one that waits too', async () => {
  script = usesTheTool
  const before = await connect(served.url, TOKEN, 'careful')
  const waiting = summary(await before.sendMessage(sending('go', { contextId: 'a2a-wait' })))
  expect(waiting.state).toBe('TASK_STATE_INPUT_REQUIRED')
  await stop()
  await start()
  const client = await connect(served.url, TOKEN, 'careful')
  expect(await client.getTask({ tenant: '', id: waiting.id })).toMatchObject({ status: { state: 6 } })
  const answered = client.sendMessageStream(answerTo(waiting.id, [{ call_id: 'c1', approved: true }]))
  const events = await collect(answered)
  expect([events[0], events.at(-1)]).toEqual([
    'task TASK_STATE_WORKING Let me see. ',
    'status TASK_STATE_COMPLETED',
  ])
  expect(await client.getTask({ tenant: '', id: waiting.id })).toMatchObject({
    status: { state: 3 },
    history: [{ role: 1 }, { role: 2 }, { role: 2 }],
  })
})

test('A2A: to cancel a task stops its model, also one that waits', async () => {
  let isStopped = false
  script = async function* ({ signal }) {
    yield says('Well')
    await once(signal, 'abort')
    isStopped = true
    signal.throwIfAborted()
  }
  const client = await connect(served.url, TOKEN, 'writer')
  const request = sending('go', { contextId: 'a2a-cancel' })
  const configuration = {
    returnImmediately: true,
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
  }
  const { id } = summary(await client.sendMessage({ ...request, configuration }))
  const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined })
  expect(cancelled).toMatchObject({ status: { state: 5 } })
  expect(isStopped).toBe(true)

  script = usesTheTool
  const careful = await connect(served.url, TOKEN, 'careful')
  const waiting = summary(await careful.sendMessage(sending('go', { contextId: 'a2a-cancel-2' })))
  expect(await careful.cancelTask({ tenant: '', id: waiting.id, metadata: undefined })).toMatchObject({
    status: { state: 5 },
  })
})
