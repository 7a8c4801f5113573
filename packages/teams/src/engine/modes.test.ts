import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ScriptedAnswers } from '../members/scripted-model.fixture.ts'
import { HANGS } from '../members/scripted-model.fixture.ts'
import type { Priority } from '../task.ts'
import type { TeamDraft } from '../team.ts'
import { eventually, startProcess, type TestProcess } from './engine.fixture.ts'

const SUPERVISED: Partial<TeamDraft> = {
  executionMode: 'supervisor',
  supervisor: { memberName: 'boss', reviewRequired: false },
}

const assigns = (member: string) => ({ calls: [{ name: 'assign_task', args: { member, reason: 'best' } }] })

describe.each(testDatabases)('modes on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let boss: ScriptedAnswers

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: {
        ada: 'Done by ada.',
        bob: 'Done by bob.',
        slow: HANGS,
        boss: (request, asked) => (typeof boss === 'function' ? boss(request, asked) : 'nonsense'),
      },
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  const startsIn = async (teamId: string) =>
    (await one.teams.lastEvents(teamId, 1_000)).flatMap(({ type, data }) =>
      type === 'task_started' ? [data.task_id] : [],
    )

  test('sequential: one at a time, by priority and then by age', async () => {
    verifies('TM-MODE-1', 'TM-TASK-15', 'TM-TASK-16')
    const team = await one.createTeam(['ada', 'bob'], { executionMode: 'sequential' })
    const priorities: Priority[] = ['low', 'medium', 'critical', 'high', 'critical', 'medium']
    const ids: string[] = []
    for (const priority of priorities) ids.push((await one.createTask(team, { priority })).id)
    await one.teams.start(team.id)
    await eventually(async () => (await one.teams.metrics(team.id)).tasksCompleted === ids.length)
    expect(await startsIn(team.id)).toEqual([2, 4, 3, 1, 5, 0].map((index) => ids[index]))
    const types = (await one.eventTypes(team)).filter((type) => /started|completed/.test(type)).slice(1)
    expect(types).toEqual(ids.flatMap(() => ['task_started', 'task_completed']))
    expect(new Set((await one.teams.listTasks(team.id)).map(({ member }) => member))).toEqual(
      new Set(['ada', 'bob']),
    )
  })

  test('parallel: as many at a time as there are members, one each', async () => {
    verifies('TM-MODE-2', 'TM-METRIC-8', 'TM-METRIC-9')
    const team = await one.createTeam(['slow', 'ada'])
    const own = await one.createTask(team, { assignedTo: 'slow' })
    const stuck = await one.createTask(team, { assignedTo: 'slow' })
    const others = [await one.createTask(team), await one.createTask(team), await one.createTask(team)]
    await one.teams.start(team.id)
    for (const task of others) expect(await one.until(task, 'completed')).toMatchObject({ member: 'ada' })
    expect(await one.teams.getTask(team.id, own.id)).toMatchObject({ status: 'in_progress' })
    expect(await one.teams.getTask(team.id, stuck.id)).toMatchObject({
      status: 'pending',
      waitingFor: expect.stringContaining('"slow" is at another task'),
    })
    expect(await one.teams.metrics(team.id)).toMatchObject({
      tasksActive: 1,
      membersActive: 1,
      tasksPending: 2,
    })
    await one.teams.stop(team.id)
  })

  test('supervisor: the supervisor’s model says whose a task is', async () => {
    verifies('TM-MODE-3', 'TM-EVENT-12')
    boss = () => assigns('bob')
    const team = await one.startedTeam(['boss', 'ada', 'bob'], SUPERVISED)
    const task = await one.until(await one.createTask(team), 'completed')
    expect(task).toMatchObject({ member: 'bob', result: 'Done by bob.' })
    expect(task.spent).toMatchObject({ promptTokens: 20, completionTokens: 10 })
    const assigned = (await one.teams.lastEvents(team.id, 100)).filter(({ type }) => type === 'task_assigned')
    expect(assigned.map(({ data }) => data)).toEqual([
      { task_id: task.id, assigned_to: 'bob', reason: 'best' },
    ])
  })

  test('supervisor: one that makes no sense leaves it to the rule, which is told', async () => {
    verifies('TM-RULE-1')
    boss = () => 'I like trains.'
    const team = await one.startedTeam(['boss', 'ada', 'bob'], SUPERVISED)
    const task = await one.until(await one.createTask(team), 'completed')
    expect(task.member).toBe('ada')
    expect(await one.teams.lastEvents(team.id, 100)).toContainEqual(
      expect.objectContaining({
        type: 'task_assigned',
        data: expect.objectContaining({ assigned_to: 'ada', fallback: true }),
      }),
    )
  })

  test('supervisor: one that cannot be asked leaves it to the rule, too', async () => {
    verifies('TM-RULE-1')
    const team = await one.startedTeam(['nobody', 'ada'], {
      ...SUPERVISED,
      supervisor: { memberName: 'nobody', reviewRequired: false },
    })
    expect(await one.until(await one.createTask(team), 'completed')).toMatchObject({ member: 'ada' })
    const events = await one.teams.lastEvents(team.id, 100)
    expect(events.find(({ type }) => type === 'task_assigned')?.data).toMatchObject({ fallback: true })
  })

  test('supervisor: a task that waits to be asked about says so; a stop takes the question back', async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof assigns>>()
    boss = () => promise
    const team = await one.startedTeam(['boss', 'ada'], SUPERVISED)
    const task = await one.createTask(team)
    await eventually(async () => {
      const { waitingFor = '' } = await one.teams.getTask(team.id, task.id)
      return waitingFor.includes('choosing')
    })
    await one.teams.stop(team.id)
    resolve(assigns('ada'))
    expect(await one.teams.getTask(team.id, task.id)).toMatchObject({ status: 'pending' })
    await one.teams.start(team.id)
    await one.until(task, 'completed')
  })
})
