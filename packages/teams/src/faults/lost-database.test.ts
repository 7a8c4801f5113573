import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailable } from '@quire/kit/store/errors'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess, type TestProcess } from '../engine/engine.fixture.ts'
import type { Task } from '../task.ts'
import { type RestartedPostgres, startRestartedPostgres } from './restarted-postgres.fixture.ts'

let postgres: RestartedPostgres
let one: TestProcess

beforeAll(async () => {
  postgres = await startRestartedPostgres()
  const answer = async () => {
    await delay(50)
    return 'Done.'
  }
  one = await startProcess(postgres.url, { script: { ada: answer, bob: answer } })
})
afterAll(async () => {
  await one?.stop()
  await postgres?.stop()
})

test('a PostgreSQL that is stopped and started again under running tasks', { timeout: 60_000 }, async () => {
  verifies('TM-DURABLE-1', 'TM-DURABLE-2')
  const team = await one.startedTeam(['ada', 'bob'])
  const acknowledged: Task[] = []
  const refusals: unknown[] = []
  const create = () =>
    one.createTask(team).then(
      (task) => void acknowledged.push(task),
      (error: unknown) => void refusals.push(error),
    )
  for (let number = 0; number < 20; number += 1) await create()
  await postgres.halt()
  await create()
  expect(refusals).toHaveLength(1)
  await postgres.goOn()
  while (acknowledged.length < 25 && refusals.length < 100) await create()
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(StoreUnavailable)
  await expect
    .poll(async () => (await one.teams.metrics(team.id)).tasksPending, { timeout: 40_000, interval: 100 })
    .toBe(0)

  const tasks = await one.teams.listTasks(team.id)
  expect(tasks.every(({ status }) => status === 'completed')).toBe(true)
  const ids = new Set(tasks.map(({ id }) => id))
  for (const { id } of acknowledged) expect(ids).toContain(id)
  const events = await one.teams.lastEvents(team.id, 10_000)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ type }) => type === 'task_completed')).toHaveLength(tasks.length)
})
