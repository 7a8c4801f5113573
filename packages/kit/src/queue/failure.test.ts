import { testDatabases } from '@quire/testbed/test-databases'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Store } from '../store/store.ts'
import { createHarness, createWaitingHandler } from './queue.fixture.ts'
import { type JobHandler, NotRetryableError, type OnFailed } from './queue.ts'

type Owner = { owned: { id: string; error: string; attempts: number } }

describe.each(testDatabases)('a queue on $kind whose jobs fail', (underTest) => {
  const { store, queue, add, until, work, steal, expire, elsewhere } = createHarness(underTest)
  const rows = async (id: string) =>
    store().as<Owner>().db.selectFrom('owned').selectAll().where('id', '=', id).execute()
  const write: OnFailed = async ({ id }, { error, attempts, tx }) =>
    tx.as<Owner>().db.insertInto('owned').values({ id, error, attempts }).execute()

  beforeAll(() =>
    store().migrate('owner', {
      '001_table': {
        up: async (db: Store['db']) =>
          db.schema
            .createTable('owned')
            .addColumn('id', 'text')
            .addColumn('error', 'text')
            .addColumn('attempts', 'integer')
            .execute(),
      },
    }),
  )

  test.each<[string, number, () => Error]>([
    ['throws to the end', 3, () => new Error('no luck')],
    ['throws what is in vain to repeat', 1, () => new NotRetryableError('no luck')],
  ])('tells the owner when the handler %s, in one transaction', async (_, attempts, toError) => {
    const onFailed = vi.fn<OnFailed>(write)
    const handler = vi.fn<JobHandler>(async () => {
      throw toError()
    })
    work(handler, { onFailed })
    const id = await add({ payload: { a: 1 }, priority: 3, retry: { limit: 2, backoffMs: 10 } })
    await until(id, { state: 'failed', attempts, error: 'no luck' })
    expect(await rows(id)).toStrictEqual([{ id, error: 'no luck', attempts }])
    expect(onFailed.mock.calls.map(([job]) => job)).toStrictEqual([
      { id, queue: 'tasks', payload: { a: 1 }, priority: 3 },
    ])
    expect(handler).toHaveBeenCalledTimes(attempts)
  })

  test('tells the owner again when that threw, without running the handler again', async () => {
    const onFailed = vi.fn<OnFailed>(async (job, failure) => {
      await write(job, failure)
      if (onFailed.mock.calls.length < 2) throw new Error('the owner is not at home')
    })
    const handler = vi.fn<JobHandler>(async () => {
      throw new NotRetryableError('no luck')
    })
    work(handler, { onFailed })
    const id = await add({ retry: { limit: 2 } })
    await until(id, { state: 'waiting', attempts: 1, error: 'no luck' })
    expect(await rows(id)).toStrictEqual([])
    await until(id, { state: 'failed', attempts: 1, error: 'no luck' })
    expect(await rows(id)).toStrictEqual([{ id, error: 'no luck', attempts: 1 }])
    expect(onFailed).toHaveBeenCalledTimes(2)
    expect(handler).toHaveBeenCalledTimes(1)
  })

  test('closing does not wait for an owner who does not answer: another worker tells again', async () => {
    const begun = Promise.withResolvers<void>()
    const handler = vi.fn<JobHandler>(async () => {
      throw new Error('no luck')
    })
    const worker = work(handler, {
      on: await elsewhere({}, { transactionTimeoutMs: 1_500 }),
      onFailed() {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    const id = await add({ retry: { limit: 0 } })
    await begun.promise
    await worker.close({ graceMs: 0 })
    await expire()
    work(handler, { onFailed: write })
    await until(id, { state: 'failed', attempts: 1 })
    expect(await rows(id)).toMatchObject([{ id, attempts: 1 }])
    expect(handler).toHaveBeenCalledTimes(1)
  })

  test('does not tell the owner of a job that was cancelled, or that another worker has', async () => {
    const onFailed = vi.fn<OnFailed>(write)
    for (const take of [(id: string) => queue().cancel(id), steal]) {
      const { handler, hasBegun, reasons } = createWaitingHandler()
      const worker = work(handler, { onFailed })
      const id = await add({ retry: { limit: 0 } })
      await hasBegun()
      await take(id)
      await vi.waitFor(() => expect(reasons).toStrictEqual(['gone']), { timeout: 30_000 })
      await worker.close({ graceMs: 0 })
      await queue().cancel(id)
    }
    expect(onFailed).not.toHaveBeenCalled()
  })
})
