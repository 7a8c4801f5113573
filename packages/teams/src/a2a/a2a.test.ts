import { AgentError } from '@quire/agent/agent-error'
import { verifies } from '@quire/spec/verifies'
import { afterAll, expect, test } from 'vitest'
import { HANGS } from '../members/scripted-model.fixture.ts'
import { asking, collect, held, LIST, PREFIX, READER, sending, serveA2a, summary } from './a2a.fixture.ts'

const slow = held('At last.')
const served = await serveA2a({
  Ada: 'Three sources.',
  Bob: HANGS,
  Slow: slow.answers,
  Writer: 'A draft.',
  Broken: new AgentError('refused', 'The provider refuses the key.'),
  Boss: [
    { calls: [{ name: 'review_result', args: { approved: false, reasons: 'Too short.' } }] },
    { calls: [{ name: 'review_result', args: { approved: true, reasons: 'Good.' } }] },
  ],
})
const { engine } = served
const SOON = { timeout: 30_000 }
afterAll(served.close)

test('the card of a team says how it is reached, under the prefix it has', async () => {
  verifies('TM-A2A-1')
  const team = await engine.createTeam(['Ada', 'Bob'], { name: 'Writers' })
  const client = await served.connect(team.id, READER)
  expect(await client.getAgentCard()).toMatchObject({
    name: 'Writers',
    description: 'A team of Ada, Bob.',
    version: '1.2.3',
    supportedInterfaces: [
      { url: `${served.url}/teams/${team.id}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: { bearer: {} },
    skills: [{ name: 'Writers', tags: ['team', 'parallel'] }],
  })
})

test.each([
  ['https://quire.example/teams-of-ours/', 'https://quire.example/teams-of-ours'],
  ['/under/a/proxy', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/under\/a\/proxy$/)],
])(
  'with the public address %s the card shows that, and no key where none is asked for',
  async (publicUrl, root) => {
    const open = await serveA2a({}, { publicUrl, isOpen: true })
    try {
      const team = await open.engine.createTeam(['Ada'], { description: 'Finds things.' })
      const answer = await open.call(`/teams/${team.id}/a2a/.well-known/agent-card.json`, { as: null })
      const card = await answer.json()
      expect(card).toMatchObject({
        description: 'Finds things.',
        securitySchemes: {},
        securityRequirements: [],
      })
      expect(String(Object(card).supportedInterfaces[0].url).replace(`/teams/${team.id}/a2a`, '')).toEqual(
        root,
      )
      expect(JSON.stringify(card)).not.toContain('You are Ada.')
    } finally {
      await open.close()
    }
  },
)

test('a message becomes a task, and its answer is the task with its result', async () => {
  verifies('TM-A2A-2')
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  const text = 'Find three sources\non the history of the pencil.'
  const done = await client.sendMessage(sending(text))
  const { id, ...rest } = summary(done)
  expect(rest).toEqual({ contextId: team.id, state: 'completed', says: '', result: 'Three sources.' })
  expect(await engine.teams.getTask(team.id, id)).toMatchObject({
    title: 'Find three sources',
    description: text,
    status: 'completed',
    result: 'Three sources.',
  })
  expect(done).toMatchObject({
    metadata: { title: 'Find three sources', assigned_to: 'Ada', attempts: 1, usage: { total_tokens: 15 } },
  })
  expect(summary(await client.getTask(asking(id)))).toEqual({ id, ...rest })
})

test.each([
  ['\n\n  Count. \nAll of them.', 'Count.'],
  ['a\tb\u0007c', 'a b c'],
  ['x'.repeat(300), `${'x'.repeat(99)}…`],
  ['🙂'.repeat(300), `${'🙂'.repeat(99)}…`],
])('the title of %j is its first line', async (text, title) => {
  const team = await engine.createTeam(['Ada'])
  const client = await served.connect(team.id)
  const { id } = summary(await client.sendMessage(sending(text)))
  expect(await engine.teams.getTask(team.id, id)).toMatchObject({ title, description: text })
})

test('the same message twice is one task, and another text under its id is refused', async () => {
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  const request = sending('Count the words.', { messageId: 'm-1' })
  const [one, other] = await Promise.all([client.sendMessage(request), client.sendMessage(request)])
  expect(summary(one)).toEqual(summary(other))
  expect(await collect(client.sendMessageStream(request))).toEqual(['task completed Three sources.'])
  expect(await engine.teams.listTasks(team.id)).toHaveLength(1)
  await expect(client.sendMessage(sending('Count again.', { messageId: 'm-1' }))).rejects.toThrow(/used/)
})

test('the context is the team, or the one of the caller', async () => {
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  const own = summary(await client.sendMessage(sending('One.', { contextId: 'my-session' })))
  expect(own.contextId).toBe('my-session')
  expect(summary(await client.getTask(asking(own.id))).contextId).toBe(team.id)
})

test('a task is streamed from its acceptance to its result', async () => {
  verifies('TM-A2A-3')
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  expect(await collect(client.sendMessageStream(sending('Find three sources.')))).toEqual([
    'task submitted',
    'working',
    'result Three sources.',
    'completed',
  ])
})

test('so is its review', async () => {
  const team = await engine.startedTeam(['Writer', 'Boss'], {
    supervisor: { memberName: 'Boss', reviewRequired: true },
  })
  const client = await served.connect(team.id)
  const inReview = 'working "The supervisor is looking at the result."'
  expect(await collect(client.sendMessageStream(sending('Write.')))).toEqual([
    ...['task submitted', 'working', inReview, 'working', inReview, 'result A draft.', 'completed'],
  ])
})

test('a task that takes its time is told at once, watched by others, and joined', async () => {
  verifies('TM-A2A-4')
  const team = await engine.startedTeam(['Slow'])
  const client = await served.connect(team.id)
  const begun = summary(await client.sendMessage(sending('Wait.', { isImmediate: true })))
  expect(begun.state).toBe('submitted')
  await expect.poll(async () => summary(await client.getTask(asking(begun.id))).state, SOON).toBe('working')
  const seen: string[] = []
  const joined = collect(client.resubscribeTask(asking(begun.id)), seen)
  await expect.poll(() => seen, SOON).toEqual(['task working'])
  slow.release()
  expect(await joined).toEqual(['task working', 'result At last.', 'completed'])
  await expect(collect(client.resubscribeTask(asking(begun.id)))).rejects.toThrow(/GetTask/)
})

test('whoever leaves does not stop the task', async () => {
  const team = await engine.startedTeam(['Bob'])
  const client = await served.connect(team.id)
  for await (const { payload } of client.sendMessageStream(sending('Go on.')))
    if (payload?.$case === 'statusUpdate') break
  await expect.poll(() => served.sse.size(), SOON).toBe(0)
  expect(await engine.teams.listTasks(team.id)).toMatchObject([{ status: 'in_progress' }])
})

test('a task is cancelled, again too, and not when it has another end', async () => {
  verifies('TM-A2A-4')
  const team = await engine.startedTeam(['Bob', 'Ada'])
  const client = await served.connect(team.id)
  const seen: string[] = []
  const stream = collect(client.sendMessageStream(sending('Go on.')), seen)
  await expect.poll(() => seen, SOON).toEqual(['task submitted', 'working'])
  const id = (await client.listTasks(LIST)).tasks[0]?.id ?? ''
  expect(summary(await client.cancelTask(asking(id))).state).toBe('canceled')
  expect(await stream).toEqual(['task submitted', 'working', 'canceled'])
  expect(summary(await client.cancelTask(asking(id))).state).toBe('canceled')
  const task = await engine.createTask(team, { assignedTo: 'Ada' })
  await engine.until(task, 'completed')
  await expect(client.cancelTask(asking(task.id))).rejects.toThrow(/cannot be cancelled/)
})

test('a task that failed says why', async () => {
  const team = await engine.startedTeam(['Broken'])
  const client = await served.connect(team.id)
  const failed = summary(await client.sendMessage(sending('Try.')))
  expect(failed).toMatchObject({ state: 'failed', says: expect.stringContaining('refuses the key') })
  expect(await collect(client.sendMessageStream(sending('Again.')))).toEqual([
    'task submitted',
    'working',
    expect.stringMatching(/^failed ".*refuses the key/),
  ])
})

test('a team that is not running takes the task, and says that it has to be started', async () => {
  const team = await engine.createTeam(['Ada'])
  const client = await served.connect(team.id)
  const waiting = summary(await client.sendMessage(sending('Find three sources.')))
  expect(waiting).toMatchObject({ state: 'submitted', says: expect.stringContaining('start') })
  const seen: string[] = []
  const stream = collect(client.sendMessageStream(sending('And three more.')), seen)
  await expect.poll(() => seen.length, SOON).toBe(1)
  await engine.teams.start(team.id)
  await stream
  expect(seen[0]).toMatch(/^task submitted ".*start/)
  expect(seen.slice(-3)).toEqual(['working', 'result Three sources.', 'completed'])
})

test('a stream tells that its team is stopped, and that it was deleted', async () => {
  const team = await engine.startedTeam(['Bob'])
  const client = await served.connect(team.id)
  const seen: string[] = []
  const stream = collect(client.sendMessageStream(sending('Go on.')), seen)
  await expect.poll(() => seen, SOON).toEqual(['task submitted', 'working'])
  await engine.teams.stop(team.id)
  await expect.poll(() => seen[2], SOON).toMatch(/^submitted "The team is stopped/)
  await engine.teams.delete(team.id)
  expect((await stream).slice(3)).toEqual(['canceled "The team was deleted, and its tasks with it."'])
})

test('what has not changed is not told again', async () => {
  const team = await engine.startedTeam(['Bob'])
  const client = await served.connect(team.id)
  const first = await engine.until(await engine.createTask(team), 'in_progress')
  const seen: string[] = []
  const stream = collect(client.sendMessageStream(sending('And then?', { refersTo: [first.id] })), seen)
  await expect.poll(() => seen, SOON).toEqual(['task submitted'])
  await engine.teams.pause(team.id)
  const waits = `submitted "It depends on ${first.id} (in_progress)."`
  await expect.poll(() => seen, SOON).toEqual(['task submitted', waits])
  await engine.teams.resume(team.id)
  await engine.teams.pause(team.id)
  const { id = '' } = (await client.listTasks({ ...LIST, status: 1 })).tasks[0] ?? {}
  await client.cancelTask(asking(id))
  expect(await stream).toEqual(['task submitted', waits, 'canceled'])
})

test('a message that refers to a task is given its result', async () => {
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  const first = summary(await client.sendMessage(sending('Find three sources.')))
  const second = summary(await client.sendMessage(sending('Sum them up.', { refersTo: [first.id] })))
  expect(await engine.teams.getTask(team.id, second.id)).toMatchObject({ dependsOn: [first.id] })
  const { request } = engine.models.requests.at(-1) ?? {}
  expect(JSON.stringify(request?.messages)).toContain('Three sources.')
  await expect(client.sendMessage(sending('More.', { taskId: first.id }))).rejects.toThrow(/referenceTaskIds/)
})

test('the tasks of a team are listed, those that changed last first, by pages and by state', async () => {
  const team = await engine.startedTeam(['Ada'])
  const client = await served.connect(team.id)
  const ids: string[] = []
  for (const text of ['one', 'two', 'three']) ids.push(summary(await client.sendMessage(sending(text))).id)
  const page = await client.listTasks({ ...LIST, pageSize: 2, includeArtifacts: true })
  expect(page).toMatchObject({
    totalSize: 3,
    nextPageToken: '2',
    tasks: [
      { id: ids[2], artifacts: [{ parts: [{ content: { value: 'Three sources.' } }] }] },
      { id: ids[1] },
    ],
  })
  const rest = await client.listTasks({ ...LIST, contextId: team.id, pageSize: 2, pageToken: '2' })
  expect(rest).toMatchObject({ nextPageToken: '', tasks: [{ id: ids[0], artifacts: [] }] })
  expect((await client.listTasks({ ...LIST, status: 4 })).tasks).toEqual([])
  const later = { ...LIST, statusTimestampAfter: '2100-01-01T00:00:00Z' }
  expect((await client.listTasks(later)).tasks).toEqual([])
  await expect(client.listTasks({ ...LIST, contextId: 'my-session' })).rejects.toThrow(/contextId/)
})

test('so are more of them than are read at once', async () => {
  const team = await engine.createTeam(['Ada'])
  const client = await served.connect(team.id)
  const drafts = Array.from({ length: 203 }, (_, number) => `${number}`)
  for (const title of drafts) await engine.createTask(team, { title })
  const page = await client.listTasks({ ...LIST, pageSize: 1, pageToken: '202' })
  expect(page).toMatchObject({ totalSize: 203, tasks: [{ metadata: { title: '0' } }] })
})

test('tasks of another team do not exist', async () => {
  const [mine, other] = [await engine.startedTeam(['Ada']), await engine.startedTeam(['Ada'])]
  const { id } = summary(await (await served.connect(mine.id)).sendMessage(sending('Mine.')))
  const stranger = await served.connect(other.id)
  await expect(stranger.getTask(asking(id))).rejects.toThrow(/no task/)
  await expect(stranger.cancelTask(asking(id))).rejects.toThrow(/no task/)
  await expect(collect(stranger.resubscribeTask(asking(id)))).rejects.toThrow(/no task/)
  await expect(stranger.sendMessage(sending('More.', { taskId: id }))).rejects.toThrow(/no task/)
  await expect(stranger.sendMessage(sending('More.', { refersTo: [id] }))).rejects.toThrow(/no task/)
  expect((await stranger.listTasks(LIST)).tasks).toEqual([])
})

test.each([
  ['has waited long enough', { waitMs: 100 }],
  ['is to stop', { isStopping: () => true }],
])('a caller is answered with the task as it stands when the service %s', async (_when, options) => {
  const patient = await serveA2a({ Bob: HANGS }, options)
  try {
    const team = await patient.engine.startedTeam(['Bob'])
    const client = await patient.connect(team.id)
    const { state } = summary(await client.sendMessage(sending('Go on.')))
    expect(['submitted', 'working']).toContain(state)
  } finally {
    await patient.close()
  }
})

test('it is declared in the description of the service', () => {
  const { paths } = served.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 't', version: '1' } })
  expect(Object.keys(paths ?? {})).toEqual([
    '/teams/{team_id}/a2a/.well-known/agent-card.json',
    '/teams/{team_id}/a2a',
  ])
  expect(served.url).toContain(PREFIX)
})
