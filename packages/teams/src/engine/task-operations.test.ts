import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HANGS } from '../members/scripted-model.fixture.ts'
import { DRAFT, eventually, startProcess, type TestProcess } from './engine.fixture.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe.each(testDatabases)('tasks on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: { ada: 'Done by ada.', bob: 'Done by bob.', slow: HANGS },
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  test('a task is taken in every state of the team, and shown as pending', async () => {
    verifies('TM-TASK-3', 'TM-TASK-18', 'TM-TASK-21', 'TM-EVENT-18')
    const team = await one.createTeam(['ada'])
    const created = [await one.createTask(team)]
    await one.teams.start(team.id)
    created.push(await one.createTask(team))
    await one.teams.pause(team.id)
    created.push(await one.createTask(team))
    await one.teams.stop(team.id)
    created.push(await one.createTask(team))
    expect(created.map(({ status }) => status)).toEqual(Array(4).fill('pending'))
    expect((await one.teams.getTask(team.id, created[3]?.id ?? '')).waitingFor).toMatch(/stopped/)
    await one.teams.start(team.id)
    for (const task of created) await one.until(task, 'completed')
    expect((await one.eventTypes(team)).filter((type) => type === 'task_created')).toHaveLength(4)
  })

  test('a task runs from its creation to its end', async () => {
    verifies('TM-TASK-19', 'TM-TASK-20', 'TM-EVENT-9', 'TM-EVENT-12', 'TM-EVENT-19', 'TM-EVENT-22')
    const team = await one.startedTeam(['ada'])
    const task = await one.until(await one.createTask(team), 'completed')
    expect(task).toMatchObject({ member: 'ada', result: 'Done by ada.', attempts: 1 })
    expect(task.spent).toMatchObject({ promptTokens: 10, completionTokens: 5 })
    for (const time of [task.assignedAt, task.startedAt, task.endedAt])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(await one.eventTypes(team)).toEqual([
      ...['team_created', 'team_started', 'task_created', 'task_assigned', 'task_started', 'task_completed'],
    ])
    const events = await one.teams.lastEvents(team.id, 100)
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect((await one.teams.get(team.id)).spent).toEqual(task.spent)
  })

  test('one that names its member is told of as assigned at once, and goes to nobody else', async () => {
    verifies('TM-EVENT-10', 'TM-EVENT-11')
    const team = await one.createTeam(['ada', 'bob'])
    const task = await one.createTask(team, { assignedTo: 'bob' })
    const [event] = await one.teams.lastEvents(team.id, 1)
    expect(event).toMatchObject({ type: 'task_assigned', data: { task_id: task.id, assigned_to: 'bob' } })
    await one.teams.start(team.id)
    expect(await one.until(task, 'completed')).toMatchObject({ result: 'Done by bob.' })
    expect((await one.eventTypes(team)).filter((type) => type === 'task_assigned')).toHaveLength(1)
  })

  test.each([
    { what: 'a member who is none', draft: { assignedTo: 'eve' }, says: /eve.*ada/ },
    { what: 'a dependency that is none', draft: { dependsOn: [UNKNOWN] }, says: /created before it/ },
  ])('$what is refused', async ({ draft, says }) => {
    verifies('TM-TASK-17', 'TM-RULE-5')
    const team = await one.createTeam(['ada'])
    await expect(one.createTask(team, draft)).rejects.toMatchObject({
      problem: { status: 422, detail: expect.stringMatching(says) },
    })
    expect(await one.teams.listTasks(team.id)).toEqual([])
  })

  test('a task of another team is none of this one’s', async () => {
    const [mine, theirs] = [await one.createTeam(['ada']), await one.createTeam(['ada'])]
    const task = await one.createTask(theirs)
    await expect(one.teams.getTask(mine.id, task.id)).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(one.teams.cancelTask(mine.id, task.id)).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(one.createTask(mine, { dependsOn: [task.id] })).rejects.toMatchObject({
      problem: { status: 422 },
    })
  })

  test('a task waits for those that it depends on, and sees their results', async () => {
    verifies('TM-TASK-12', 'TM-MEMBER-1')
    const team = await one.createTeam(['ada', 'bob'])
    const first = await one.createTask(team, { assignedTo: 'ada' })
    const second = await one.createTask(team, { dependsOn: [first.id], assignedTo: 'bob' })
    expect((await one.teams.getTask(team.id, second.id)).waitingFor).toContain(`${first.id} (pending)`)
    await one.teams.start(team.id)
    await one.until(second, 'completed')
    const { request } = one.models.requests.findLast(({ id }) => id === 'scripted:bob') ?? {}
    expect(JSON.stringify(request?.messages)).toContain('Done by ada.')
    const third = await one.createTask(team, { dependsOn: [first.id, second.id] })
    await one.until(third, 'completed')
  })

  test('one whose dependency was cancelled says so, and goes on when that one is retried', async () => {
    verifies('TM-TASK-8', 'TM-TASK-9', 'TM-EVENT-24', 'TM-EVENT-25')
    const team = await one.createTeam(['ada'])
    const first = await one.createTask(team)
    const second = await one.createTask(team, { dependsOn: [first.id] })
    await one.teams.cancelTask(team.id, first.id)
    await one.teams.start(team.id)
    expect((await one.teams.getTask(team.id, second.id)).waitingFor).toMatch(/cancelled.*retried/)
    expect(await one.teams.retryTask(team.id, first.id)).toMatchObject({ id: first.id })
    await one.until(second, 'completed')
    const types = await one.eventTypes(team)
    expect(types.filter((type) => /cancelled|retried/.test(type))).toEqual(['task_cancelled', 'task_retried'])
  })

  test('a cancelled task stops its model, and its member takes the next', async () => {
    verifies('TM-TASK-8')
    const team = await one.startedTeam(['slow'])
    const [first, second] = [await one.createTask(team), await one.createTask(team)]
    await one.until(first, 'in_progress')
    const before = one.models.requests.length
    await eventually(() => one.models.requests.length >= before)
    expect(await one.teams.cancelTask(team.id, first.id)).toMatchObject({ status: 'cancelled' })
    await one.until(second, 'in_progress')
    await expect(one.teams.cancelTask(team.id, first.id)).rejects.toMatchObject({ problem: { status: 409 } })
    await one.teams.cancelTask(team.id, second.id)
    await eventually(() =>
      one.models.requests
        .filter(({ id }) => id === 'scripted:slow')
        .every(({ request }) => request.signal.aborted),
    )
    expect(await one.teams.metrics(team.id)).toMatchObject({
      ...{ tasksTotal: 2, tasksCancelled: 2, tasksPending: 0, tasksActive: 0, membersActive: 0 },
    })
  })

  test('only what failed or was cancelled is retried', async () => {
    const team = await one.startedTeam(['ada'])
    const task = await one.until(await one.createTask(team), 'completed')
    await expect(one.teams.retryTask(team.id, task.id)).rejects.toMatchObject({ problem: { status: 409 } })
  })

  test('the same idempotency key is the same task, with another body none', async () => {
    verifies('TM-TASK-22', 'TM-TASK-23')
    const team = await one.createTeam(['ada'])
    const send = (title: string) => one.teams.createTask(team.id, { ...DRAFT, title }, 'key-1')
    const many = await Promise.all([send('a'), send('a'), send('a'), send('a')])
    expect(new Set(many.map(({ task }) => task.id)).size).toBe(1)
    expect(many.filter(({ isNew }) => isNew)).toHaveLength(1)
    await expect(send('b')).rejects.toMatchObject({ problem: { status: 422 } })
    expect(await one.teams.listTasks(team.id)).toHaveLength(1)
    const other = await one.createTeam(['ada'])
    expect((await one.teams.createTask(other.id, { ...DRAFT, title: 'b' }, 'key-1')).isNew).toBe(true)
  })

  test('tasks are listed in the order of their creation, by status and by page', async () => {
    verifies('TM-TASK-4', 'TM-TASK-5', 'TM-TASK-6')
    const team = await one.createTeam(['ada'])
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push((await one.createTask(team)).id)
    await one.teams.cancelTask(team.id, ids[1] ?? '')
    const listed = async (query = {}) => (await one.teams.listTasks(team.id, query)).map(({ id }) => id)
    expect(await listed()).toEqual(ids)
    expect(await listed({ status: 'cancelled' })).toEqual([ids[1]])
    expect(await listed({ limit: 2, offset: 3 })).toEqual(ids.slice(3, 5))
    expect(await listed({ offset: 4 })).toEqual(ids.slice(4))
  })
})
