import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from './routes/event-reader.fixture.ts'
import { startTeams } from './teams.fixture.ts'

describe.each(testDatabases)('two services on one database of $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: Awaited<ReturnType<typeof startTeams>>
  let other: typeof one
  beforeAll(async () => {
    database = await createDatabase()
    one = await startTeams({}, database.url)
    // It only answers; the work is done by the first.
    other = await startTeams({ autoStart: false }, database.url)
  })
  afterAll(async () => {
    await one.close()
    await other.close()
    await database.drop()
  })

  test('know the same teams and tasks, and tell of them alike', async () => {
    verifies('TM-EVENT-7', 'TM-EVENT-9', 'TM-METRIC-4', 'TM-METRIC-5', 'TM-TASK-22', 'TM-TASK-23')
    const team = await one.createTeam()
    const stream = await readEvents(`${other.url}${team}/events`)
    await stream.has(1)
    await other.expectStatus(200, 'POST', `${team}/start`)
    await one.expectStatus(409, 'POST', `${team}/start`)
    const headers = { 'idempotency-key': 'k' }
    const body = { title: 'Count', assigned_to: 'quick' }
    const { body: task } = await other.expectStatus(201, 'POST', `${team}/tasks`, body, { headers })
    const path = `${team}/tasks/${task.task_id}`
    expect(await other.until(path, 'completed')).toMatchObject({ result: 'Done.', attempts: 1 })
    expect((await one.expectStatus(200, 'POST', `${team}/tasks`, body, { headers })).body.task_id).toBe(
      task.task_id,
    )
    await one.expectStatus(422, 'POST', `${team}/tasks`, { title: 'Other' }, { headers })
    const slow = await other.createTask(team, { assigned_to: 'slow' })
    await one.until(slow, 'in_progress')
    await other.expectStatus(200, 'POST', `${slow}/cancel`)
    const types = [
      'team_created',
      'team_started',
      'task_created',
      'task_assigned',
      'task_started',
      'task_completed',
    ]
    const second = ['task_created', 'task_assigned', 'task_started', 'task_cancelled']
    const seen = await stream.has(10)
    expect(stream.types()).toEqual([...types, ...second])
    expect(seen.map(({ data }) => data)).toEqual((await one.call('GET', `${team}/events`)).body)
    const { body: metrics } = await other.call('GET', `${team}/metrics`)
    expect(metrics).toMatchObject({
      ...{ tasks_total: 2, tasks_completed: 1, tasks_failed: 0, tasks_cancelled: 1, tasks_pending: 0 },
      ...{ tasks_active: 0, members_active: 0 },
    })
    expect(metrics.uptime_seconds).toBeGreaterThan(0)
    for (const { call } of [one, other]) {
      const { body: text } = await call('GET', '/metrics')
      expect(text).toMatch(/^teams_tasks\{status="completed",.*\} 1$/m)
      expect(text).toMatch(/^teams_teams\{status="running",.*\} 1$/m)
    }
    await one.expectStatus(200, 'POST', `${team}/stop`)
    await one.expectStatus(204, 'DELETE', team)
    await stream.ended
    await other.expectStatus(404, 'GET', team)
  })

  test('of one task that both are given under one key, one comes to be', async () => {
    verifies('TM-TASK-22')
    const team = await one.createTeam()
    const headers = { 'idempotency-key': 'race' }
    const ask = (service: typeof one) => service.call('POST', `${team}/tasks`, { title: 'x' }, { headers })
    const answers = await Promise.all([one, other, one, other].map(ask))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(1)
  })
})
