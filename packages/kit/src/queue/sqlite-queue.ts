import type { AnyStore } from '../store/store.ts'
import { checkRequest } from './job-request.ts'
import type { JobSource } from './job-source.ts'
import type { CloseOptions, JobRequest, Queue, QueueOptions } from './queue.ts'
import { toQueueSettings } from './queue-settings.ts'
import { type JobSchema, migrateJobs } from './sqlite-job-schema.ts'
import {
  cancelJob,
  claimJobs,
  deleteFinished,
  failJob,
  insertJob,
  readJob,
  readNextDue,
  recoverJobs,
  renewLeases,
  storeOutcomes,
} from './sqlite-jobs.ts'
import { createWorkers } from './workers.ts'

const CHANNEL = 'queue_job'

/** Jobs in a table, taken by lease. For the processes of one machine. */
export async function createSqliteQueue(anyStore: AnyStore, options: QueueOptions): Promise<Queue> {
  const settings = toQueueSettings(options)
  const { queues, leaseMs, pollMs, keepFinishedMs, cleanUpEveryMs, logger } = settings
  const store = anyStore.as<JobSchema>()
  await migrateJobs(anyStore.as<unknown>())
  const recoverAt = new Map<string, number>()

  const source: JobSource = {
    async exchange({ queue, owner, outcomes, limit, held }) {
      if (limit > 0 && performance.now() >= (recoverAt.get(queue) ?? 0)) {
        recoverAt.set(queue, performance.now() + leaseMs / 4)
        await recoverJobs(store.db, { queue, held, now: Date.now(), leaseMs })
      }
      if (outcomes.length === 0) {
        const due = await readNextDue(store.db, queue)
        const idleMs = due === undefined ? pollMs : due - Date.now()
        if (idleMs > 0) return { claimed: [], idleMs: Math.min(idleMs, leaseMs / 4) }
      }
      const claimed = await store.transaction(async (tx) => {
        const now = Date.now()
        await storeOutcomes(tx, owner, outcomes, now)
        if (outcomes.some(({ kind }) => kind === 'released')) await store.notify(CHANNEL, queue, tx)
        return limit === 0 ? [] : claimJobs(tx, { queue, owner, limit, now, leaseUntil: now + leaseMs })
      })
      return { claimed, idleMs: 0 }
    },
    async fail(owner, failure, alongside) {
      await store.transaction(async (tx) => {
        if (await failJob(tx.db, owner, failure, Date.now())) await alongside(tx)
      })
    },
    heartbeat: (_queue, owner, jobs) =>
      renewLeases(
        store.db,
        owner,
        jobs.map(({ id }) => id),
        Date.now() + leaseMs,
      ),
  }

  const workers = createWorkers(source, settings)
  const stopListening = store.listen(CHANNEL, workers.wake)
  const cleanUp = () => deleteFinished(store.db, Date.now() - keepFinishedMs)
  const cleaner = setInterval(() => {
    cleanUp().catch((error: unknown) => logger?.warn({ err: error }, 'finished jobs could not be deleted'))
  }, cleanUpEveryMs).unref()
  let closing: Promise<void> | undefined

  const queue: Queue = Object.freeze({
    async enqueue(request: JobRequest, tx) {
      const checked = checkRequest(request, queues)
      if (tx === undefined) {
        return store.transaction((own) => queue.enqueue({ ...request, id: checked.id }, own))
      }
      const isNew = await insertJob(tx.as<JobSchema>().db, checked, Date.now())
      if (isNew) await store.notify(CHANNEL, checked.queue, tx)
      return { id: checked.id, isNew }
    },
    work: workers.work,
    async cancel(id, tx) {
      if (tx === undefined) return store.transaction((own) => queue.cancel(id, own))
      const isCancelled = await cancelJob(tx.as<JobSchema>().db, id, Date.now())
      if (isCancelled) tx.afterCommit(() => workers.cancel(id))
      return isCancelled
    },
    get: (id) => readJob(store.db, id),
    close(how?: CloseOptions) {
      closing ??= workers.close(how).finally(() => {
        clearInterval(cleaner)
        stopListening()
      })
      return closing
    },
  } satisfies Queue)
  return queue
}
