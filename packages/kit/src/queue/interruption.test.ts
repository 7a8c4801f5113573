import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { testDatabases } from '@quire/testbed/test-databases'
import { describe, expect, test, vi } from 'vitest'
import { createHarness, createWaitingHandler } from './queue.fixture.ts'
import type { JobHandler } from './queue.ts'

describe.each(testDatabases)('a queue on $kind that is interrupted', (underTest) => {
  const { store, queue, add, states, until, work, elsewhere, steal } = createHarness(underTest)

  test('a cancelled job that waits never runs', async () => {
    const [gone, delayed] = [await add(), await add({ delayMs: 50 })]
    expect([await queue().cancel(gone), await queue().cancel(delayed)]).toStrictEqual([true, true])
    const seen = vi.fn<JobHandler>(async () => undefined)
    work(seen)
    const after = await add({ delayMs: 100 })
    await until(after, { state: 'completed' })
    expect(seen).toHaveBeenCalledTimes(1)
    expect(await states([gone, delayed])).toStrictEqual(['cancelled', 'cancelled'])
    expect(
      await Promise.all([gone, after, randomUUID(), 'no id'].map((id) => queue().cancel(id))),
    ).toStrictEqual([false, false, false, false])
  })

  test.each(['here', 'in another process'])('cancelling a job that runs %s aborts it', async (where) => {
    const { handler, hasBegun, reasons } = createWaitingHandler()
    work(handler, where === 'here' ? {} : { on: await elsewhere() })
    const id = await add()
    await hasBegun()
    const rolledBack = store().transaction(async (tx) => {
      await queue().cancel(id, tx)
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow()
    expect(await queue().get(id)).toMatchObject({ state: 'running' })
    expect(await queue().cancel(id)).toBe(true)
    await vi.waitFor(() => expect(reasons).toStrictEqual(['gone']), { timeout: 30_000 })
    expect(await queue().get(id)).toMatchObject({ state: 'cancelled' })
  })

  test('a handler whose job another worker has is aborted, and what it returns is ignored', async () => {
    const aborted = Promise.withResolvers<unknown>()
    work(async (_, { signal }) => {
      await once(signal, 'abort')
      aborted.resolve(signal.reason)
    })
    const id = await add()
    await until(id, { state: 'running' })
    await steal(id)
    expect(await aborted.promise).toMatchObject({ reason: 'gone' })
    await until(await add({ queue: 'mail' }), { state: 'waiting' })
    expect(await queue().get(id)).toMatchObject({ state: 'running' })
    await queue().cancel(id)
  })

  test('closing lets jobs end within the grace and takes no more', async () => {
    const begun = Promise.withResolvers<void>()
    const worker = work(async () => {
      begun.resolve()
      await delay(50)
    })
    const [first, second] = [await add(), await add()]
    await begun.promise
    await Promise.all([worker.close(), worker.close()])
    expect(await states([first, second])).toStrictEqual(['completed', 'waiting'])
    await queue().cancel(second)
  })

  test('closing without grace gives jobs back at once, and the attempt does not count', async () => {
    const { handler, hasBegun, reasons } = createWaitingHandler()
    const worker = work(handler)
    const id = await add({ retry: { limit: 0 } })
    await hasBegun()
    await worker.close({ graceMs: 0 })
    expect(reasons).toStrictEqual(['closing'])
    expect(await queue().get(id)).toMatchObject({ state: 'waiting', attempts: 0 })
    const attempts: number[] = []
    work(async (_, { attempt }) => void attempts.push(attempt), { on: await elsewhere() })
    await until(id, { state: 'completed' })
    expect(attempts).toStrictEqual([1])
  })

  test('closing does not wait for a handler that ignores its signal', async () => {
    const begun = Promise.withResolvers<void>()
    const worker = work(() => {
      begun.resolve()
      return new Promise(() => undefined)
    })
    const id = await add()
    await begun.promise
    await worker.close({ graceMs: 0 })
    expect(await queue().get(id)).toMatchObject({ state: 'waiting' })
    await queue().cancel(id)
  })

  test('a closed queue takes no more workers and closes twice', async () => {
    const closed = await elsewhere()
    const { handler, hasBegun } = createWaitingHandler()
    work(handler, { on: closed })
    const id = await add()
    await hasBegun()
    await Promise.all([closed.close({ graceMs: 0 }), closed.close()])
    expect(() => closed.work('tasks', {}, handler)).toThrow('closed')
    expect(await queue().get(id)).toMatchObject({ state: 'waiting' })
    await queue().cancel(id)
  })
})
