import type { Db, PgBoss } from 'pg-boss'
import type { AnyStore } from '../store/store.ts'
import { type CheckedRequest, checkRequest, isJobId } from './job-request.ts'
import { toPgBossDatabase } from './pg-boss-database.ts'
import { createPgBossSource, type Envelope, readResponse, toJobInfo } from './pg-boss-source.ts'
import { startPgBoss, toPgBossSettings } from './pg-boss-start.ts'
import type { CloseOptions, JobInfo, JobRequest, Queue, QueueOptions } from './queue.ts'
import { toQueueSettings } from './queue-settings.ts'
import { createWorkers } from './workers.ts'

/** What is due to fail is claimed once more, so that its owner can be told: pg-boss itself would end it silently. */
const ENDLESS = 1_000_000

/** pg-boss keeps the jobs, for any number of machines; the worker is ours, as on SQLite. */
export async function createPgBossQueue(anyStore: AnyStore, options: QueueOptions): Promise<Queue> {
  const settings = toPgBossSettings(toQueueSettings(options))
  const { queues, pollMs } = settings
  const store = anyStore.as<unknown>()
  const { boss, listen } = await startPgBoss(store, settings)
  const workers = createWorkers(createPgBossSource(boss, store, pollMs), settings)
  const stopListening = listen(workers.wake)
  let closing: Promise<void> | undefined

  /** pg-boss finds a job by its queue and its id, and insists that it is a UUID. */
  async function findIn<Found>(
    id: string,
    look: (queue: string) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    for (const queue of isJobId(id) ? queues : []) {
      const found = await look(queue)
      if (found !== undefined) return found
    }
    return undefined
  }

  return Object.freeze({
    async enqueue(request: JobRequest, tx) {
      const checked = checkRequest(request, queues)
      const sent = await send(boss, checked, tx && { db: toPgBossDatabase(tx) })
      return { id: checked.id, isNew: sent !== null }
    },
    work: workers.work,
    async cancel(id, tx) {
      const where = tx && { db: toPgBossDatabase(tx) }
      const isCancelled = await findIn(id, async (queue) => {
        const { affected } = readResponse(await boss.cancel(queue, id, where))
        return affected > 0 ? true : undefined
      })
      if (!isCancelled) return false
      if (tx) tx.afterCommit(() => workers.cancel(id))
      else workers.cancel(id)
      return true
    },
    get: (id) =>
      findIn<JobInfo>(id, async (queue) => {
        const [job] = await boss.findJobs<Envelope>(queue, { id })
        return job && toJobInfo(job)
      }),
    close(how?: CloseOptions) {
      closing ??= workers.close(how).finally(() => {
        stopListening()
        return boss.stop({ graceful: false, close: false })
      })
      return closing
    },
  } satisfies Queue)
}

function send(boss: PgBoss, request: CheckedRequest, where: { db: Db } | undefined) {
  const { id, queue, payload, priority, delayMs, retry } = request
  const envelope: Envelope = { payload, retry }
  return boss.send(queue, envelope, {
    id,
    priority,
    retryLimit: ENDLESS,
    ...(delayMs > 0 && { startAfter: delayMs / 1_000 }),
    ...where,
  })
}
