import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { onBothDatabases } from './stage.fixture.ts'

const LONG_MS = 60_000
const TIMEOUT_MS = 60_000

test('a process is killed while a tool runs: another goes on, and tells the member that nobody knows', {
  timeout: TIMEOUT_MS,
}, async () => {
  verifies('TM-DURABLE-3', 'TM-DURABLE-4', 'TM-DURABLE-5', 'TM-DURABLE-6')
  await onBothDatabases(async ({ start, createTask, effects, until, onlooker }) => {
    const [one, other] = await Promise.all([start(), start()])
    const [team, task] = await createTask(one, { calls: 2, stepMs: 1_000 })
    const key = (number: number) => `${task.id}.1.call-${number}`
    await until(() => effects().length === 2)
    // Whichever of the two has taken it.
    await Promise.all([one.end('SIGKILL'), other.end('SIGKILL')])
    await onlooker.expireLeases()
    const next = await start()
    await until(async () => (await next.call('getTask', team.id, task.id)).status === 'completed')
    expect(await next.call('getTask', team.id, task.id)).toMatchObject({ attempts: 1 })
    expect(effects().toSorted()).toEqual([key(1), key(2), key(3)])
    const journal = (await onlooker.steps()).get(task.id) ?? []
    const results = journal.flatMap(({ message }) => (message.role === 'tool' ? [message.result] : []))
    expect(results.map(({ isError = false }) => isError)).toEqual([false, true, false])
    expect(JSON.stringify(results[1])).toContain('not known whether this call ran')
  })
})

test('a process that is told to end gives its tasks back at once, and the attempt is the same', {
  timeout: TIMEOUT_MS,
}, async () => {
  await onBothDatabases(async ({ start, createTask, linesOf, until, onlooker }) => {
    const one = await start()
    const [team, task] = await createTask(one, { stepMs: LONG_MS })
    await until(() => linesOf(one).length > 0)
    expect(await one.end('SIGTERM')).toBe(0)
    expect(linesOf(one).map(({ kind }) => kind)).toEqual(['run', 'ran'])
    expect(await onlooker.heldJobs()).toBe(0)
    const other = await start()
    await until(() => linesOf(other).length > 0)
    expect(await other.call('getTask', team.id, task.id)).toMatchObject({
      status: 'in_progress',
      attempts: 1,
    })
    const events = await other.call('lastEvents', team.id, 100)
    expect(events.filter(({ type }) => type === 'task_started')).toHaveLength(1)
  })
})

test('what one process is asked to cancel reaches the model that another one asks', {
  timeout: TIMEOUT_MS,
}, async () => {
  await onBothDatabases(async ({ start, createTask, linesOf, until }) => {
    const [one, other] = await Promise.all([start(), start()])
    const [team, task] = await createTask(one, { stepMs: LONG_MS })
    await until(() => [...linesOf(one), ...linesOf(other)].length > 0)
    const [asking, idle] = linesOf(one).length > 0 ? [one, other] : [other, one]
    await idle.call('cancelTask', team.id, task.id)
    await until(() => linesOf(asking).some(({ kind }) => kind === 'ran'))
    expect(await asking.call('getTask', team.id, task.id)).toMatchObject({ status: 'cancelled' })
    expect(await asking.call('metrics', team.id)).toMatchObject({ tasksActive: 0, tasksCancelled: 1 })
  })
})
