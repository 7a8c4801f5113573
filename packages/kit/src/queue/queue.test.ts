import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { testDatabases } from '@quire/testbed/test-databases'
import { describe, expect, test, vi } from 'vitest'
import { createHarness } from './queue.fixture.ts'
import { createQueue, type JobHandler, type JobRequest, NotRetryableError } from './queue.ts'

describe.each(testDatabases)('a queue on $kind', (underTest) => {
  const { store, queue, add, states, until, work, elsewhere } = createHarness(underTest)

  test('runs a job and tells how it went', async () => {
    const id = await add()
    expect(await queue().get(id)).toStrictEqual({
      id,
      queue: 'tasks',
      state: 'waiting',
      attempts: 0,
      error: null,
    })
    const release = Promise.withResolvers<void>()
    work(() => release.promise)
    await until(id, { state: 'running', attempts: 1 })
    release.resolve()
    await until(id, { state: 'completed', attempts: 1, error: null })
    for (const unknown of [randomUUID(), 'no id']) expect(await queue().get(unknown)).toBeUndefined()
  })

  test('hands the payload over as it was', async () => {
    const payload = { z: 'ü\0🎼', a: [1, 0.1, null, true], nested: { '': '' } }
    const seen = vi.fn<JobHandler>(async () => undefined)
    work(seen)
    const id = await add({ payload, priority: 7 })
    await until(id, { state: 'completed' })
    expect(seen.mock.calls[0]?.[0]).toStrictEqual({ id, queue: 'tasks', payload, priority: 7 })
    expect(JSON.stringify(seen.mock.calls[0]?.[0].payload)).toBe(JSON.stringify(payload))
  })

  test('is part of the transaction that it is given', async () => {
    const seen = vi.fn<JobHandler>(async () => undefined)
    work(seen)
    const undone = randomUUID()
    const rolledBack = store().transaction(async (tx) => {
      await queue().enqueue({ queue: 'tasks', payload: {}, id: undone }, tx)
      throw new Error('undone')
    })
    await expect(rolledBack).rejects.toThrow('undone')
    const id = await store().transaction(async (tx) => {
      const enqueued = await queue().enqueue({ queue: 'tasks', payload: {} }, tx)
      await delay(50)
      expect(seen).not.toHaveBeenCalled()
      return enqueued.id
    })
    await until(id, { state: 'completed' })
    expect(await queue().get(undone)).toBeUndefined()
    expect(seen).toHaveBeenCalledTimes(1)
  })

  test('refuses to be used beside a transaction', async () => {
    await expect(store().transaction(() => add())).rejects.toThrow('use tx.db')
  })

  test('the same id twice is one job, also after it has ended, and the caller is told', async () => {
    const id = randomUUID()
    const enqueue = () => queue().enqueue({ queue: 'tasks', payload: {}, id })
    const enqueued = await Promise.all([enqueue(), enqueue()])
    expect(enqueued.map((one) => one.id)).toStrictEqual([id, id])
    expect(enqueued.map((one) => one.isNew).sort()).toStrictEqual([false, true])
    const seen = vi.fn<JobHandler>(async () => undefined)
    work(seen)
    await until(id, { state: 'completed' })
    expect(await enqueue()).toStrictEqual({ id, isNew: false })
    expect(
      await store().transaction((tx) => queue().enqueue({ queue: 'tasks', payload: {}, id }, tx)),
    ).toStrictEqual({ id, isNew: false })
    await until(await add(), { state: 'completed' })
    expect(seen).toHaveBeenCalledTimes(2)
  })

  test('takes the highest priority first, then the oldest', async () => {
    const ids: string[] = []
    for (const priority of [0, 5, 0, -1, 5, 9]) ids.push(await add({ priority }))
    const order: number[] = []
    work(async (job) => void order.push(ids.indexOf(job.id)))
    await vi.waitFor(() => expect(order).toStrictEqual([5, 1, 4, 0, 2, 3]), 30_000)
  })

  test('does not begin before the delay is over', async () => {
    const seen = vi.fn<JobHandler>(async () => undefined)
    const begunAt = performance.now()
    work(seen)
    const id = await add({ delayMs: 600 })
    await until(await add(), { state: 'completed' })
    expect(seen).toHaveBeenCalledTimes(1)
    await until(id, { state: 'completed' })
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(590)
  })

  test('drains a backlog with all its slots and no more, and lets other queues be', async () => {
    const other = await add({ queue: 'mail' })
    const ids = await Promise.all(Array.from({ length: 40 }, () => add()))
    let now = 0
    let most = 0
    work(
      async () => {
        most = Math.max(most, ++now)
        await delay(5)
        now--
      },
      { concurrency: 4 },
    )
    await vi.waitFor(async () => expect(new Set(await states(ids))).toStrictEqual(new Set(['completed'])), {
      timeout: 30_000,
    })
    expect(most).toBe(4)
    expect(await queue().cancel(other)).toBe(true)
  })

  test('repeats what fails, with growing pauses, until the limit', async () => {
    const times: number[] = []
    const attempts: string[] = []
    work(async (_, { attempt, isLastAttempt }) => {
      times.push(performance.now())
      attempts.push(`${attempt} ${isLastAttempt}`)
      throw new Error(`attempt ${attempt} failed\0`)
    })
    const id = await add({ retry: { limit: 3, backoffMs: 50, maxBackoffMs: 100 } })
    await until(id, { state: 'failed', attempts: 4, error: 'attempt 4 failed' })
    expect(attempts).toStrictEqual(['1 false', '2 false', '3 false', '4 true'])
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, least] of [50, 100, 100].entries())
      expect(pauses[index]).toBeGreaterThanOrEqual(least - 5)
  })

  test('a later attempt that succeeds completes the job', async () => {
    work(async (_, { attempt }) => {
      if (attempt === 1) throw 'not even an error'
    })
    const id = await add({ retry: { backoffMs: 10 } })
    await until(id, { state: 'completed', attempts: 2 })
  })

  test('fails at once where another attempt would be in vain', async () => {
    work(() => {
      throw new NotRetryableError('no credit left')
    })
    const id = await add({ retry: { limit: 5, backoffMs: 0 } })
    await until(id, { state: 'failed', attempts: 1, error: 'no credit left' })
  })

  test('takes at once what another process enqueues', async () => {
    const other = await elsewhere()
    const seen = vi.fn<JobHandler>(async () => undefined)
    work(seen)
    const { id } = await other.enqueue({ queue: 'tasks', payload: {} })
    await until(id, { state: 'completed' })
  })

  test('forgets finished jobs, and no others', async () => {
    const tidy = await elsewhere({ queues: ['tidy'], keepFinishedMs: 1, cleanUpEveryMs: 50 })
    const enqueue = async (delayMs = 0) => (await tidy.enqueue({ queue: 'tidy', payload: {}, delayMs })).id
    const [waiting, done, cancelled] = [await enqueue(60_000), await enqueue(), await enqueue(60_000)]
    work(async () => undefined, { on: tidy, name: 'tidy' })
    await tidy.cancel(cancelled)
    await vi.waitFor(
      async () =>
        expect([await tidy.get(done), await tidy.get(cancelled)]).toStrictEqual([undefined, undefined]),
      { timeout: 30_000 },
    )
    expect(await tidy.get(waiting)).toMatchObject({ state: 'waiting' })
  })

  test.each<[string, Partial<JobRequest>]>([
    ['an unknown queue', { queue: 'nowhere' }],
    ['an id that is no UUID', { id: 'job-1' }],
    ['an id with SQL in it', { id: "x'; drop table queue_job; --" }],
    ['a broken priority', { priority: 0.5 }],
    ['an endless priority', { priority: Number.POSITIVE_INFINITY }],
    ['a negative delay', { delayMs: -1 }],
    ['a delay of centuries', { delayMs: 1e15 }],
    ['a negative limit', { retry: { limit: -1 } }],
    ['a backoff that is no number', { retry: { backoffMs: Number.NaN } }],
    ['no payload', { payload: undefined }],
  ])('refuses %s', async (_, request) => {
    await expect(add(request)).rejects.toThrow()
  })

  test('refuses workers without slots and queues without a proper name', async () => {
    const handler = async () => undefined
    for (const concurrency of [0, -1, 1.5, 1_001, Number.NaN])
      expect(() => queue().work('tasks', { concurrency }, handler)).toThrow('concurrency')
    expect(() => queue().work('nowhere', {}, handler)).toThrow('nowhere')
    for (const name of ['', 'Tasks', "a'b", 'a b', 'x'.repeat(80)])
      await expect(createQueue(store(), { queues: [name] })).rejects.toThrow('name')
    for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      for (const option of ['leaseMs', 'pollMs', 'keepFinishedMs', 'cleanUpEveryMs'])
        await expect(createQueue(store(), { queues: [], [option]: value })).rejects.toThrow(option)
  })
})
