import { AgentError } from '@quire/agent/agent-error'
import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ScriptedAnswer } from '../members/scripted-model.fixture.ts'
import { HANGS, TEN_MEBIBYTES } from '../members/scripted-model.fixture.ts'
import { eventually, startProcess, type TestProcess } from './engine.fixture.ts'

describe.each(testDatabases)('attempts on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let answers: ScriptedAnswer[]
  let behindMs = 0

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: { ada: () => answers.shift() ?? 'Done.', slow: HANGS, big: TEN_MEBIBYTES },
      costPerToken: 0.01,
      now: () => new Date(Date.now() - behindMs),
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  test('an attempt that failed is followed by another, after a while', async () => {
    verifies('TM-TASK-14', 'TM-EVENT-25')
    answers = [new AgentError('unavailable', 'The provider is down.')]
    const team = await one.startedTeam(['ada'])
    const task = await one.createTask(team)
    await eventually(async () => (await one.eventTypes(team)).includes('task_retried'))
    expect((await one.teams.getTask(team.id, task.id)).error?.message).toBe('The provider is down.')
    const done = await one.until(task, 'completed')
    expect(done).toMatchObject({ attempts: 2, result: 'Done.' })
    expect(done.error).toBeUndefined()
  })

  test('a retry is begun even where its wake-up comes before its time', async () => {
    answers = [new AgentError('unavailable', 'The provider is down.')]
    const team = await one.startedTeam(['ada'])
    const task = await one.createTask(team)
    await eventually(async () => (await one.eventTypes(team)).includes('task_retried'))
    // From now on the queue's clock is ahead of the engine's.
    behindMs = 1_500
    onTestFinished(() => {
      behindMs = 0
    })
    await one.until(task, 'completed')
  })

  test('after the last retry it has failed, and its dependents wait', async () => {
    verifies('TM-TASK-14', 'TM-EVENT-23')
    const down = new AgentError('unavailable', 'The provider is down.')
    answers = [down, down]
    const team = await one.startedTeam(['ada'])
    const task = await one.createTask(team, { maxRetries: 1 })
    const next = await one.createTask(team, { dependsOn: [task.id] })
    expect(await one.until(task, 'failed')).toMatchObject({ attempts: 2, error: { code: 'unavailable' } })
    expect((await one.teams.getTask(team.id, next.id)).waitingFor).toMatch(/\(failed\).*retried/)
    await one.teams.retryTask(team.id, task.id)
    expect(await one.until(task, 'completed')).toMatchObject({ attempts: 3 })
    await one.until(next, 'completed')
    expect(await one.teams.metrics(team.id)).toMatchObject({ tasksFailed: 0, tasksCompleted: 2 })
  })

  test.each(['unconfigured', 'unknown_model', 'refused', 'too_long'] as const)(
    'a failure that another attempt does not mend (%s) is the last',
    async (fault) => {
      verifies('TM-RULE-3')
      answers = [new AgentError(fault, 'No use.')]
      const team = await one.startedTeam(['ada'])
      const task = await one.until(await one.createTask(team), 'failed', 'completed')
      expect(task).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code: fault, message: 'No use.' },
      })
    },
  )

  test('a member that takes too long is stopped', async () => {
    verifies('TM-TASK-13')
    const team = await one.startedTeam(['slow'])
    const task = await one.createTask(team, { timeoutSeconds: 1, maxRetries: 0 })
    expect(await one.until(task, 'failed')).toMatchObject({
      error: { code: 'timeout', message: expect.stringContaining('timeout_seconds') },
    })
    const { request } = one.models.requests.findLast(({ id }) => id === 'scripted:slow') ?? {}
    expect(request?.signal.aborted).toBe(true)
  })

  test('an answer of 10 MiB does no harm', async () => {
    const team = await one.startedTeam(['big'])
    const task = await one.until(await one.createTask(team, { maxRetries: 0 }), 'failed', 'completed')
    expect((task.result ?? '').length).toBeLessThanOrEqual(1024 * 1024)
  })

  test('a team that has spent its budget pauses, says why, and goes on when it is raised', async () => {
    verifies('TM-BUDGET-1', 'TM-BUDGET-2', 'TM-BUDGET-4', 'TM-RULE-4')
    answers = []
    const team = await one.startedTeam(['ada'], { budget: { maxTokens: 30 } })
    const tasks = [await one.createTask(team), await one.createTask(team), await one.createTask(team)]
    await eventually(async () => (await one.teams.get(team.id)).status === 'paused')
    const paused = await one.teams.get(team.id)
    expect(paused.pauseReason).toMatch(/30 tokens.*higher budget/)
    expect(paused.spent.promptTokens + paused.spent.completionTokens).toBe(30)
    const waiting = await one.teams.getTask(team.id, tasks[2]?.id ?? '')
    expect(waiting).toMatchObject({ status: 'pending', waitingFor: paused.pauseReason })
    expect((await one.teams.lastEvents(team.id, 1))[0]).toMatchObject({
      type: 'team_paused',
      data: { reason: 'budget' },
    })
    await one.teams.changeBudget(team.id, () => ({ maxTokens: 45 }))
    await one.teams.resume(team.id)
    expect(await one.until(tasks[2] ?? waiting, 'completed')).toMatchObject({ attempts: 1 })
  })

  test('a budget of money is kept, too', async () => {
    verifies('TM-BUDGET-1', 'TM-BUDGET-2')
    answers = []
    const team = await one.startedTeam(['ada'], { budget: { maxCostUsd: 0.15 } })
    const [first] = [await one.createTask(team), await one.createTask(team)]
    await eventually(async () => (await one.teams.get(team.id)).status === 'paused')
    expect((await one.teams.get(team.id)).spent.cost).toBeCloseTo(0.15)
    expect(await one.teams.getTask(team.id, first?.id ?? '')).toMatchObject({ status: 'completed' })
  })
})
