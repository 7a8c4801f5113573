import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../lifecycle.ts'
import { HANGS } from '../members/scripted-model.fixture.ts'
import { TEAM_STATUSES, type TeamStatus } from '../team.ts'
import { eventually, startProcess, type TestProcess } from './engine.fixture.ts'

describe.each(testDatabases)('teams on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let gate = Promise.withResolvers<string>()

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: { ada: 'Done.', slow: HANGS, patient: () => gate.promise },
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  async function teamThatIs(status: TeamStatus) {
    const { teams, createTeam } = one
    const { id } = await createTeam(['ada'])
    if (status === 'draft') return id
    await teams.start(id)
    if (status === 'paused') await teams.pause(id)
    if (status === 'stopped') await teams.stop(id)
    return id
  }

  const pairs = TEAM_STATUSES.flatMap((status) => OPERATIONS.map((operation) => ({ status, operation })))

  test.each(pairs)('$operation of a team that is $status', async ({ status, operation }) => {
    verifies(CLAUSES[`${status} ${operation}`])
    const { teams } = one
    const id = await teamThatIs(status)
    const before = await teams.lastEvents(id, 100)
    const allowed = ALLOWED[`${status} ${operation}`]
    if (allowed === undefined) {
      await expect(teams[operation](id)).rejects.toMatchObject({ problem: { status: 409 } })
      expect((await teams.get(id)).status).toBe(status)
      expect(await teams.lastEvents(id, 100)).toEqual(before)
    } else if (allowed === 'gone') {
      await teams.delete(id)
      await expect(teams.get(id)).rejects.toMatchObject({ problem: { status: 404 } })
    } else {
      expect(await teams[operation](id)).toMatchObject({ id, status: allowed })
      expect((await teams.lastEvents(id, 1))[0]).toMatchObject({
        type: EVENTS[operation],
        seq: before.length + 1,
      })
    }
  })

  test('of many who start at once one does', async () => {
    const { id } = await one.createTeam(['ada'])
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => one.teams.start(id)))
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await one.eventTypes(await one.teams.get(id))).toEqual(['team_created', 'team_started'])
  })

  test('a stop aborts what runs, which waits again and goes on after the next start', async () => {
    verifies('TM-LIFE-28', 'TM-LIFE-29', 'TM-LIFE-30')
    const team = await one.startedTeam(['slow'])
    const task = await one.createTask(team)
    await one.until(task, 'in_progress')
    const asked = () => one.models.requests.filter(({ id }) => id === 'scripted:slow')
    await eventually(() => asked().length === 1)
    await one.teams.stop(team.id)
    await eventually(() => asked()[0]?.request.signal.aborted === true)
    expect(await one.teams.getTask(team.id, task.id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      waitingFor: expect.stringMatching(/stopped.*Start/),
    })
    expect(await one.teams.metrics(team.id)).toMatchObject({ tasksActive: 0, membersActive: 0 })
    await one.teams.start(team.id)
    await eventually(() => asked().length === 2)
    expect(await one.teams.getTask(team.id, task.id)).toMatchObject({ status: 'in_progress', attempts: 1 })
    await one.teams.cancelTask(team.id, task.id)
  })

  test('a pause lets running tasks finish and begins none', async () => {
    verifies('TM-LIFE-26', 'TM-LIFE-27')
    gate = Promise.withResolvers()
    const team = await one.startedTeam(['patient'])
    const [first, second] = [await one.createTask(team), await one.createTask(team)]
    await one.until(first, 'in_progress')
    await one.teams.pause(team.id)
    gate.resolve('Done.')
    expect(await one.until(first, 'completed')).toMatchObject({ result: 'Done.' })
    expect(await one.teams.getTask(team.id, second.id)).toMatchObject({
      status: 'pending',
      waitingFor: expect.stringMatching(/paused.*Resume/),
    })
    await one.teams.resume(team.id)
    await one.until(second, 'completed')
  })

  test('a pause takes back what was given out and not begun', async () => {
    verifies('TM-LIFE-27')
    const other = await createDatabase()
    const idle = await startProcess(other.url, { isIdle: true })
    const team = await idle.startedTeam(['ada'])
    const task = await idle.createTask(team)
    expect(await idle.teams.getTask(team.id, task.id)).toMatchObject({ status: 'assigned', member: 'ada' })
    await idle.teams.pause(team.id)
    const worker = await startProcess(other.url, { script: { ada: 'Done.' } })
    expect(await worker.teams.getTask(team.id, task.id)).toMatchObject({ status: 'pending' })
    expect(await worker.teams.metrics(team.id)).toMatchObject({ tasksActive: 0, membersActive: 0 })
    await worker.teams.resume(team.id)
    await worker.until(task, 'completed')
    expect(await worker.eventTypes(team)).toEqual([
      ...['team_created', 'team_started', 'task_created', 'task_assigned', 'team_paused', 'team_resumed'],
      ...['task_assigned', 'task_started', 'task_completed'],
    ])
    await idle.stop()
    await worker.stop()
    await other.drop()
  })

  test('deleting a paused team aborts what still runs and leaves nothing', async () => {
    verifies('TM-LIFE-25')
    const team = await one.startedTeam(['slow'])
    const task = await one.createTask(team)
    await one.createTask(team, { dependsOn: [task.id] })
    await one.until(task, 'in_progress')
    const asked = () => one.models.requests.filter(({ id }) => id === 'scripted:slow')
    await eventually(() => asked().at(-1)?.request.signal.aborted === false)
    await one.teams.pause(team.id)
    await one.teams.delete(team.id)
    await eventually(() => asked().at(-1)?.request.signal.aborted === true)
    await expect(one.teams.lastEvents(team.id, 10)).rejects.toMatchObject({ problem: { status: 404 } })
    for (const table of ['team_task', 'team_step', 'team_dependency', 'team_member', 'team_event']) {
      const rows = await one.store
        .as<Record<string, { team_id: string; stream: string }>>()
        .db.selectFrom(table)
        .selectAll()
        .where(table === 'team_event' ? 'stream' : 'team_id', '=', team.id)
        .execute()
      expect([table, rows]).toEqual([table, []])
    }
  })

  test('teams are listed in the order of their creation, with what they have', async () => {
    verifies('TM-TEAM-7', 'TM-TEAM-9')
    const ids = [await one.createTeam(['ada']), await one.createTeam(['ada'])].map(({ id }) => id)
    const listed = await one.teams.list()
    expect(listed.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids)
    const [page] = await one.teams.list({ limit: 1, offset: listed.length - 1 })
    expect(page?.id).toBe(ids[1])
  })

  test('a budget is changed', async () => {
    verifies('TM-BUDGET-4')
    const { id } = await one.createTeam(['ada'], { budget: { maxTokens: 10 } })
    expect(await one.teams.changeBudget(id, () => ({ maxTokens: 20 }))).toMatchObject({
      budget: { maxTokens: 20 },
    })
  })

  test('metrics count from the last start, and nothing in draft', async () => {
    verifies('TM-METRIC-6', 'TM-METRIC-7')
    const team = await one.createTeam(['ada'])
    expect(await one.teams.metrics(team.id)).toMatchObject({ uptimeSeconds: 0, tasksTotal: 0 })
    await one.teams.start(team.id)
    await eventually(async () => (await one.teams.metrics(team.id)).uptimeSeconds > 0)
    await one.teams.stop(team.id)
    const { uptimeSeconds } = await one.teams.metrics(team.id)
    expect((await one.teams.metrics(team.id)).uptimeSeconds).toBe(uptimeSeconds)
  })
})

const ALLOWED: Readonly<Record<string, TeamStatus | 'gone' | undefined>> = {
  'draft start': 'running',
  'draft delete': 'gone',
  'running stop': 'stopped',
  'running pause': 'paused',
  'paused stop': 'stopped',
  'paused resume': 'running',
  'paused delete': 'gone',
  'stopped start': 'running',
  'stopped delete': 'gone',
}

const CLAUSES = {
  'draft start': 'TM-LIFE-1',
  'stopped start': 'TM-LIFE-2',
  'running start': 'TM-LIFE-3',
  'paused start': 'TM-LIFE-4',
  'running stop': 'TM-LIFE-5',
  'paused stop': 'TM-LIFE-6',
  'draft stop': 'TM-LIFE-7',
  'stopped stop': 'TM-LIFE-8',
  'running pause': 'TM-LIFE-9',
  'draft pause': 'TM-LIFE-10',
  'stopped pause': 'TM-LIFE-11',
  'paused pause': 'TM-LIFE-12',
  'paused resume': 'TM-LIFE-13',
  'draft resume': 'TM-LIFE-14',
  'running resume': 'TM-LIFE-15',
  'stopped resume': 'TM-LIFE-16',
  'stopped delete': 'TM-LIFE-17',
  'draft delete': 'TM-LIFE-18',
  'paused delete': 'TM-LIFE-19',
  'running delete': 'TM-LIFE-20',
} as const

const EVENTS: Readonly<Record<string, string>> = {
  start: 'team_started',
  stop: 'team_stopped',
  pause: 'team_paused',
  resume: 'team_resumed',
}
