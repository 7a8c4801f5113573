import type { Client } from '@a2a-js/sdk/client'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  asked,
  call,
  gate,
  OTHER,
  READER,
  result,
  startTransports,
  TOKEN,
  text,
} from '../transports.fixture.ts'
import { answerTo, collect, connect, createClient, sending, summary } from './a2a.fixture.ts'

const served = await startTransports()
const { scripted } = served
afterAll(served.close)
let client: Client

beforeAll(async () => {
  client = await connect(served.url, TOKEN)
})

const asking = (id: string) => ({ tenant: '', id })

test('the card of an agent says how it is reached, and its client can reach it', async () => {
  verifies('RT-TRANSPORT-4')
  expect(await client.getAgentCard()).toMatchObject({
    name: 'The guide',
    description: 'Knows the way.',
    version: '1.2.3',
    supportedInterfaces: [
      { url: `${served.url}/a2a/agents/guide`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    skills: [{ id: 'guide', name: 'The guide' }],
  })
  scripted.play({ acts: [text('Let me see. '), call('c1'), result('c1'), text('Three.')] })
  const task = summary(await client.sendMessage(sending('one and two?', { contextId: 'a-1' })))
  expect(task).toMatchObject({
    contextId: 'a-1',
    state: 'TASK_STATE_COMPLETED',
    answer: 'Let me see. Three.',
  })
  expect(scripted.prompts.at(-1)).toMatchObject({
    owner: 'ada',
    agentId: 'guide',
    conversationId: 'a-1',
    message: 'one and two?',
  })
})

test('a message without a context opens one, and the next goes on in it', async () => {
  scripted.play({ acts: [text('One.')] }, { acts: [text('Two.')] })
  const first = summary(await client.sendMessage(sending('one')))
  const second = summary(await client.sendMessage(sending('two', { contextId: first.contextId })))
  expect(second.contextId).toBe(first.contextId)
  expect(second.id).not.toBe(first.id)
  expect(await client.getTask(asking(first.id))).toMatchObject({
    status: { state: 3 },
    artifacts: [{ parts: [{ content: { value: 'One.' } }] }],
    history: [{ parts: [{ content: { value: 'one' } }] }, { parts: [{ content: { value: 'One.' } }] }],
  })
  expect(await client.getTask({ ...asking(second.id), historyLength: 1 })).toMatchObject({
    history: [{ parts: [{ content: { value: 'Two.' } }] }],
  })
  expect((await client.getTask({ ...asking(second.id), historyLength: 0 })).history).toEqual([])
})

test('a stream is the task, what the agent says, and how it ended', async () => {
  scripted.play({ acts: [text('One, '), text('two.')] })
  const events = await collect(client.sendMessageStream(sending('count', { contextId: 'a-2' })))
  expect(events).toEqual([
    'task TASK_STATE_WORKING',
    'set One, ',
    'append two.',
    'status TASK_STATE_COMPLETED',
  ])
})

test('a task that is under way is told at once, watched by others, and joined', async () => {
  const held = gate()
  scripted.play({ acts: [text('One, '), held.wait, text('two.')] })
  const request = sending('count', { contextId: 'a-3' })
  const begun = summary(
    await client.sendMessage({
      ...request,
      configuration: {
        returnImmediately: true,
        acceptedOutputModes: [],
        taskPushNotificationConfig: undefined,
      },
    }),
  )
  expect(begun.state).toBe('TASK_STATE_WORKING')
  expect(await client.getTask(asking(begun.id))).toMatchObject({ status: { state: 2 } })
  await expect(client.sendMessage(sending('more', { contextId: 'a-3' }))).rejects.toThrow(/under way/)
  await expect(client.sendMessage(sending('more', { taskId: begun.id }))).rejects.toThrow(/takes no message/)
  const joined = collect(client.resubscribeTask(asking(begun.id)))
  await expect.poll(() => served.sse.size()).toBe(1)
  held.open()
  expect(await joined).toEqual([
    'task TASK_STATE_WORKING',
    'set One, ',
    'append two.',
    'status TASK_STATE_COMPLETED',
  ])
  await expect(collect(client.resubscribeTask(asking(begun.id)))).rejects.toThrow(/is over/)
  await expect(client.sendMessage(sending('more', { taskId: begun.id }))).rejects.toThrow(/is over/)
})

test('a task is cancelled, and only one that goes on', async () => {
  scripted.play({ acts: [text('a'), gate().wait] })
  const stream = collect(client.sendMessageStream(sending('go', { contextId: 'a-4' })))
  await expect.poll(() => scripted.statusOf('a-4')).toBe('running')
  const { tasks } = await client.listTasks({ ...LIST, contextId: 'a-4' })
  const id = tasks[0]?.id ?? ''
  expect(await client.cancelTask({ ...asking(id), metadata: undefined })).toMatchObject({
    status: { state: 5 },
  })
  expect((await stream).at(-1)).toBe('status TASK_STATE_CANCELED')
  expect(await client.cancelTask({ ...asking(id), metadata: undefined })).toMatchObject({
    status: { state: 5 },
  })
  scripted.play({ acts: [text('b')] })
  const done = summary(await client.sendMessage(sending('again', { contextId: 'a-4' })))
  await expect(client.cancelTask({ ...asking(done.id), metadata: undefined })).rejects.toThrow(/is over/)
  // The next task in the same context does not make a failure of it.
  expect(await client.getTask(asking(id))).toMatchObject({ status: { state: 5 } })
  const listed = await client.listTasks({ ...LIST, contextId: 'a-4' })
  expect(listed.tasks.map(({ status }) => status?.state)).toEqual([3, 5])
})

test('an address without a slash at its end is told what it lacks', async () => {
  await expect(createClient(TOKEN, `${served.url}/a2a/agents/guide`)).rejects.toThrow(/404/)
  const answer = await served.call('/a2a/agents/.well-known/agent-card.json')
  expect(await answer.json()).toMatchObject({
    status_code: 404,
    detail: expect.stringContaining(`as in ${served.url}/a2a/agents/AGENT/.`),
  })
  expect((await served.call('/a2a/agents/.well-known/agent-card.json', { as: null })).status).toBe(401)
})

test('a card asks for a key only where one is needed', async () => {
  const open = await startTransports({ isOpen: () => true })
  try {
    const card = await (await open.call('/a2a/agents/guide/.well-known/agent-card.json')).json()
    expect(card).not.toHaveProperty('securityRequirements')
    expect(card).not.toHaveProperty('securitySchemes')
    expect(await (await connect(open.url, TOKEN)).getAgentCard()).toMatchObject({ name: 'The guide' })
    expect((await client.getAgentCard()).securityRequirements).toHaveLength(1)
  } finally {
    await open.close()
  }
})

const LIST = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined }

test('the tasks of a context are listed, the newest first, by pages and by state', async () => {
  scripted.play({ acts: [text('One.')] }, { acts: [text('Two.')] }, { acts: [text('Three.')] })
  for (const prompt of ['one', 'two', 'three'])
    await client.sendMessage(sending(prompt, { contextId: 'a-5' }))
  const page = await client.listTasks({ ...LIST, contextId: 'a-5', pageSize: 2, includeArtifacts: true })
  expect(page).toMatchObject({
    totalSize: 3,
    nextPageToken: '2',
    tasks: [
      { artifacts: [{ parts: [{ content: { value: 'Three.' } }] }] },
      { artifacts: [{ parts: [{ content: { value: 'Two.' } }] }] },
    ],
  })
  const rest = await client.listTasks({ ...LIST, contextId: 'a-5', pageSize: 2, pageToken: '2' })
  expect([rest.tasks.length, rest.nextPageToken]).toEqual([1, ''])
  expect((await client.listTasks({ ...LIST, contextId: 'a-5', status: 4 })).tasks).toEqual([])
  expect((await client.listTasks({ ...LIST, contextId: 'never-seen' })).tasks).toEqual([])
  const later = { ...LIST, contextId: 'a-5', statusTimestampAfter: '2030-01-01T00:00:00Z' }
  expect((await client.listTasks(later)).tasks).toEqual([])
  await expect(client.listTasks(LIST)).rejects.toThrow(/contextId/)
})

test('a task that waits asks for a decision, and goes on with it', async () => {
  const script = { acts: [text('May I? '), call('c1'), asked('c1')], after: [result('c1'), text('Done.')] }
  scripted.play(script, script)
  const waiting = await client.sendMessage(sending('delete', { contextId: 'a-6' }))
  const { id, state } = summary(waiting)
  expect(state).toBe('TASK_STATE_INPUT_REQUIRED')
  expect(waiting).toMatchObject({
    status: {
      message: {
        parts: [{}, { content: { value: { approvals: [{ call_id: 'c1', name: 'add', args: { a: 1 } }] } } }],
      },
    },
  })
  expect(await client.getTask(asking(id))).toMatchObject({ status: { state: 6 } })
  expect(await collect(client.resubscribeTask(asking(id)))).toEqual([
    'task TASK_STATE_INPUT_REQUIRED',
    'set May I? ',
    'status TASK_STATE_INPUT_REQUIRED',
  ])
  await expect(client.sendMessage(sending('yes', { taskId: id }))).rejects.toThrow(/approvals/)
  await expect(client.sendMessage(sending('yes', { taskId: id, contextId: 'a-1' }))).rejects.toThrow(
    /not the one/,
  )
  await expect(client.sendMessage(answerTo(id, [{ call_id: 'c9', approved: true }]))).rejects.toThrow(/c9/)
  const answered = client.sendMessageStream(answerTo(id, [{ call_id: 'c1', approved: true, args: { a: 2 } }]))
  expect(await collect(answered)).toEqual([
    'task TASK_STATE_WORKING May I? ',
    'append Done.',
    'status TASK_STATE_COMPLETED',
  ])
  expect(scripted.decisions.at(-1)).toMatchObject({
    owner: 'ada',
    callId: 'c1',
    isApproved: true,
    args: { a: 2 },
  })

  const again = summary(await client.sendMessage(sending('delete', { contextId: 'a-6' })))
  const refused = await client.sendMessage(
    answerTo(again.id, [{ call_id: 'c1', approved: false, reason: 'No.' }]),
  )
  expect(summary(refused)).toMatchObject({ state: 'TASK_STATE_COMPLETED', answer: 'May I? Done.' })
  expect(scripted.decisions.at(-1)).toMatchObject({ isApproved: false, reason: 'No.' })
})

test('a failed task says why, and one that the service cut off that it did', async () => {
  const error = { detail: 'The provider is down.', statusCode: 503 }
  scripted.play(
    { acts: [text('Well')], end: { status: 'failed', error } },
    { acts: [], end: { status: 'interrupted' } },
  )
  const failed = await client.sendMessage(sending('one', { contextId: 'a-7' }))
  expect(failed).toMatchObject({
    status: { state: 4, message: { parts: [{ content: { value: error.detail } }] } },
  })
  const cut = await client.sendMessage(sending('two', { contextId: 'a-7' }))
  expect(cut).toMatchObject({ status: { state: 4 } })
  expect(await client.getTask(asking(summary(failed).id))).toMatchObject({ status: { state: 4 } })
})

test('whoever leaves does not stop the turn', async () => {
  const held = gate()
  scripted.play({ acts: [text('a'), held.wait, text('b')] })
  for await (const _event of client.sendMessageStream(sending('go', { contextId: 'a-8' }))) break
  await expect.poll(() => served.sse.size()).toBe(0)
  await expect.poll(() => scripted.readersOf('a-8')).toBe(0)
  expect(scripted.statusOf('a-8')).toBe('running')
  held.open()
  await expect.poll(() => scripted.statusOf('a-8')).toBe('complete')
})

test('tasks of another, and of another agent, do not exist', async () => {
  scripted.play({ acts: [text('Mine.')] })
  const { id } = summary(await client.sendMessage(sending('hello', { contextId: 'a-9' })))
  for (const stranger of [await connect(served.url, OTHER), await connect(served.url, TOKEN, 'other')]) {
    await expect(stranger.getTask(asking(id))).rejects.toThrow(/There is no task/)
    await expect(stranger.cancelTask({ ...asking(id), metadata: undefined })).rejects.toThrow(
      /There is no task/,
    )
    expect((await stranger.listTasks({ ...LIST, contextId: 'a-9' })).tasks).toEqual([])
    await expect(stranger.sendMessage(sending('hi', { taskId: id }))).rejects.toThrow(/There is no task/)
  }
  const bob = await connect(served.url, OTHER)
  await expect(bob.sendMessage(sending('hi', { contextId: 'a-9' }))).rejects.toThrow(/no conversation/)
})

test('its root says what it is, and lists the agents', async () => {
  const root = await served.call('/a2a', { as: READER })
  expect(await root.json()).toMatchObject({ protocol: 'a2a', version: '1.0' })
  const list = await served.call('/a2a/agents', { as: READER })
  expect(await list.json()).toMatchObject({
    agents: [{ endpoint: '/api/v1/a2a/agents/guide' }, {}],
    count: 2,
  })
})
