import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailable } from '@quire/kit/store/errors'
import { verifies } from '@quire/spec/verifies'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually, startProcess, type TestProcess } from '../engine/engine.fixture.ts'
import type { Task } from '../task.ts'

let folder: string
let one: TestProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-faults-'))
  const answer = async () => {
    await delay(5)
    return 'Done. '.repeat(500)
  }
  one = await startProcess(`sqlite:${join(folder, 'quire.db')}`, { script: { ada: answer, bob: answer } })
})
afterEach(async () => {
  await one.stop()
  await rm(folder, { recursive: true, force: true })
})

async function setRoom(pages: number): Promise<void> {
  const db = one.store.as<unknown>().db
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + pages)}`.execute(db)
}

test('a full disk: nothing is acknowledged that is not stored, and all goes on when there is room', async () => {
  verifies('TM-DURABLE-1')
  const team = await one.startedTeam(['ada', 'bob'])
  const acknowledged: Task[] = [await one.createTask(team)]
  await setRoom(30)
  let refused: unknown
  while (refused === undefined && acknowledged.length < 10_000)
    await one.createTask(team, { description: 'x'.repeat(2_000) }).then(
      (task) => acknowledged.push(task),
      (error: unknown) => {
        refused = error
      },
    )
  expect(refused).toBeInstanceOf(StoreUnavailable)
  expect(refused).toMatchObject({ message: expect.stringContaining('the disk is full') })
  const stored = await one.teams.listTasks(team.id)
  expect(stored.map(({ id }) => id)).toEqual(acknowledged.map(({ id }) => id))
  expect(await one.teams.metrics(team.id)).toMatchObject({ tasksTotal: acknowledged.length })

  await setRoom(100_000)
  acknowledged.push(await one.createTask(team))
  await eventually(async () => (await one.teams.metrics(team.id)).tasksCompleted === acknowledged.length)
  const events = await one.teams.lastEvents(team.id, 100_000)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ type }) => type === 'task_completed')).toHaveLength(acknowledged.length)
})
