import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../store/store.ts'
import {
  createQueue,
  JobAborted,
  type JobHandler,
  type JobInfo,
  type JobRequest,
  type Queue,
  type WorkOptions,
} from './queue.ts'

/** As testDatabases of the test bed has them. */
export type DatabaseUnderTest = {
  kind: 'sqlite' | 'postgres'
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>
}

type Particulars = {
  leaseMs: number
  /** Does to a running job what another worker does that takes it over. */
  steal(store: Store, id: string): Promise<void>
  /** Lets the lease of dead workers be over, where a test would wait too long for it. */
  expire?(store: Store): Promise<void>
}

const particulars: Readonly<Record<DatabaseUnderTest['kind'], Particulars>> = {
  sqlite: {
    leaseMs: 400,
    async steal(store, id) {
      await sql`
        update queue_job set lease_owner = 'another', lease_until = lease_until + 2000 where id = ${id}
      `.execute(store.db)
    },
  },
  postgres: {
    leaseMs: 10_000,
    async steal(store, id) {
      await sql`update pgboss.job set retry_count = retry_count + 1 where id = ${id}`.execute(store.db)
    },
    async expire(store) {
      await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '10s' where state = 'active'`.execute(
        store.db,
      )
    },
  },
}

type Work = WorkOptions & { on?: Queue; name?: string }

const POLL_MS = 200

/** To be called inside `describe`. Its queues are `tasks` and `mail`. */
export function createHarness({ kind, createDatabase }: DatabaseUnderTest) {
  const { leaseMs, steal, expire } = particulars[kind]
  let database: Awaited<ReturnType<typeof createDatabase>>
  let store: Store
  let queue: Queue

  beforeAll(async () => {
    database = await createDatabase()
    store = await openStore(database.url)
    queue = await createQueue(store, { queues: ['tasks', 'mail'], leaseMs, pollMs: POLL_MS })
  })
  afterAll(async () => {
    await queue.close({ graceMs: 0 })
    await store.close()
    await database.drop()
  })

  return {
    leaseMs,
    steal: (id: string) => steal(store, id),
    expire: async () => expire?.(store),
    url: () => database.url,
    store: () => store,
    queue: () => queue,
    add: async (request: Partial<JobRequest> = {}) =>
      (await queue.enqueue({ queue: 'tasks', payload: {}, ...request })).id,
    states: async (ids: readonly string[]) =>
      (await Promise.all(ids.map((id) => queue.get(id)))).map((job) => job?.state),
    until: (id: string, expected: Partial<JobInfo>, timeout = 30_000) =>
      vi.waitFor(async () => expect(await queue.get(id)).toMatchObject(expected), { timeout, interval: 10 }),

    work(handler: JobHandler, { on = queue, concurrency = 1, name = 'tasks', ...options }: Work = {}) {
      const worker = on.work(name, { concurrency, ...options }, handler)
      onTestFinished(() => worker.close({ graceMs: 0 }))
      return worker
    },

    /** A queue with a store of its own, as another process has it. */
    async elsewhere(options = {}, storeOptions: StoreOptions = {}) {
      const other = await openStore(database.url, storeOptions)
      const another = await createQueue(other, {
        ...{ queues: ['tasks', 'mail'], leaseMs, pollMs: POLL_MS },
        ...options,
      })
      onTestFinished(async () => {
        await another.close({ graceMs: 0 })
        await other.close()
      })
      return another
    },
  }
}

/** A handler that begins and then waits for its signal. */
export function createWaitingHandler() {
  const begun = vi.fn<(id: string) => void>()
  const reasons: unknown[] = []
  const handler: JobHandler = async (job, { signal }) => {
    begun(job.id)
    await once(signal, 'abort')
    reasons.push(signal.reason instanceof JobAborted ? signal.reason.reason : signal.reason)
    throw signal.reason
  }
  return {
    handler,
    reasons,
    hasBegun: () => vi.waitFor(() => expect(begun).toHaveBeenCalled(), { timeout: 30_000, interval: 10 }),
  }
}
