import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../store/store.ts'
import { createQueue, type JobHandler } from './queue.ts'

const { createDatabase } = testDatabases[0]

async function setUp(url: string, acquireTimeoutMs = 5_000) {
  const store = await openStore(url, { acquireTimeoutMs })
  const queue = await createQueue(store, { queues: ['tasks'], leaseMs: 300 })
  onTestFinished(async () => {
    await queue.close({ graceMs: 0 })
    await store.close()
  })
  return { store, queue }
}

test('a handler is aborted when its lease cannot be renewed, and the job is run again', async () => {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const { queue } = await setUp(url, 50)
  const outcomes: unknown[] = []
  queue.work('tasks', {}, async (_, { signal, attempt }) => {
    if (attempt > 1) return
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    outcomes.push(signal.reason)
  })
  const { id } = await queue.enqueue({ queue: 'tasks', payload: {} })
  await vi.waitFor(async () => expect(await queue.get(id)).toMatchObject({ state: 'running' }), 30_000)
  const stranger = new DatabaseSync(url.slice('sqlite:'.length))
  stranger.exec('begin immediate')
  await vi.waitFor(() => expect(outcomes).toMatchObject([{ reason: 'gone' }]), { timeout: 30_000 })
  stranger.exec('rollback')
  stranger.close()
  await vi.waitFor(
    async () => expect(await queue.get(id)).toMatchObject({ state: 'completed', attempts: 2 }),
    {
      timeout: 30_000,
    },
  )
})

test('a clock that is set forward or back takes no job away and leaves none behind', async () => {
  const { queue, store } = await setUp('sqlite::memory:')
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'] })
  const release = Promise.withResolvers<void>()
  const handler = vi.fn<JobHandler>(() => release.promise)
  queue.work('tasks', { concurrency: 2 }, handler)
  const { id } = await queue.enqueue({ queue: 'tasks', payload: {} })
  await vi.waitFor(() => expect(handler).toHaveBeenCalled(), 30_000)
  for (const jump of [3_600_000, -7_200_000]) {
    vi.setSystemTime(Date.now() + jump)
    const { id: next } = await queue.enqueue({ queue: 'tasks', payload: {}, retry: { limit: 0 } })
    await vi.waitFor(
      () => expect(handler).toHaveBeenCalledWith(expect.objectContaining({ id: next }), expect.anything()),
      30_000,
    )
    await delay(20)
    await queue.cancel(next)
  }
  expect(handler).toHaveBeenCalledTimes(3)
  release.resolve()
  await vi.waitFor(
    async () => expect(await queue.get(id)).toMatchObject({ state: 'completed', attempts: 1 }),
    30_000,
  )

  const { id: orphan } = await queue.enqueue({ queue: 'tasks', payload: {}, delayMs: 1_000_000 })
  await sql`update queue_job set state = 'running', attempts = 1, lease_owner = 'dead', lease_until = ${Date.now() + 3_600_000} where id = ${orphan}`.execute(
    store.db,
  )
  await vi.waitFor(async () => expect(await queue.get(orphan)).toMatchObject({ state: 'waiting' }), {
    timeout: 30_000,
  })
})
