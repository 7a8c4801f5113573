import type { Logger } from '../log.ts'
import type { AnyStore, AnyTransaction } from '../store/store.ts'

/*
 * The contract, the same on both databases:
 *
 * - What `enqueue` has acknowledged, or what the transaction it took part in has committed, is run at least once.
 * - A job is run by whoever holds its lease. The worker renews it while the handler runs; when a worker dies, the lease
 *   runs out and another one takes the job. A run that was cut short this way counts as an attempt.
 * - A worker takes the highest priority first, then the oldest, as soon as it has a free slot. On PostgreSQL the jobs of one
 *   transaction are equally old.
 * - A handler that throws is run again after `backoffMs`, then twice that, four times that …, until `limit` repetitions are
 *   used up; after that, or at once for a NotRetryableError, the job fails. So does one whose last attempt was cut short.
 * - `onFailed` is called for every job that fails, in the transaction that makes it `failed`: what it writes through `tx` is
 *   there exactly when the job is. If it throws, nothing is written, the job counts as waiting, and it is called again after
 *   1 s, 2 s … 1 min, without end, by whichever worker takes the job; the handler is not. What it does beside `tx` may happen
 *   more than once. All workers of a queue give the same one: a worker without it lets jobs fail silently.
 * - The handler's signal is aborted when the job was cancelled or its lease was lost ("gone": whatever it still returns is
 *   ignored), and when the worker closes ("closing": the job goes back to the queue and the attempt does not count).
 * - Finished jobs are forgotten after `keepFinishedMs`. Waiting ones never are.
 * - An id is used once: until its job is forgotten, enqueueing it again adds nothing, even when the job has ended, and
 *   `isNew` says so. To repeat a job that has ended takes a new id.
 */
export type Queue = Readonly<{
  /** The same id twice is one job, of which the first request counts; see `isNew`. */
  enqueue(request: JobRequest, tx?: AnyTransaction): Promise<Enqueued>
  /** Starts at once. */
  work(queue: string, options: WorkOptions, handler: JobHandler): Worker
  /** A waiting job will not run, a running one is aborted. False when it has ended already or is not known. */
  cancel(id: string, tx?: AnyTransaction): Promise<boolean>
  get(id: string): Promise<JobInfo | undefined>
  /** Closes all workers. Idempotent. */
  close(options?: CloseOptions): Promise<void>
}>

export type Worker = Readonly<{
  /** Takes no more jobs, lets the running ones end within the grace, then aborts them and gives them back. Idempotent. */
  close(options?: CloseOptions): Promise<void>
}>

export type JobRequest = {
  queue: string
  /** Whatever JSON can carry. */
  payload: unknown
  /** An integer, 0 by default. */
  priority?: number
  delayMs?: number
  /** A UUID. */
  id?: string
  retry?: Partial<RetryPolicy>
}

/** Not new: a job with this id waits, runs or has ended already, and this request adds nothing. */
export type Enqueued = Readonly<{ id: string; isNew: boolean }>

export type RetryPolicy = Readonly<{
  /** How often a job is repeated, 2 by default. */
  limit: number
  /** 1 s by default. */
  backoffMs: number
  /** 1 min by default. */
  maxBackoffMs: number
}>

export type Job = Readonly<{ id: string; queue: string; payload: unknown; priority: number }>

export type JobHandler = (job: Job, context: JobContext) => Promise<unknown>

export type JobContext = Readonly<{
  signal: AbortSignal
  /** Numbered from 1. */
  attempt: number
  /** What it throws now fails the job. */
  isLastAttempt: boolean
}>

/** Writes through `tx` and does little else: on SQLite everybody waits for it. */
export type OnFailed = (job: Job, failure: JobFailure) => Promise<unknown>

export type JobFailure = Readonly<{
  /** Why the last attempt failed. */
  error: string
  /** How often the job was begun. */
  attempts: number
  tx: AnyTransaction
}>

export type JobState = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'

export type JobInfo = Readonly<{
  id: string
  queue: string
  state: JobState
  /** How often it was begun. */
  attempts: number
  /** Why the last attempt failed. */
  error: string | null
}>

export type WorkOptions = { concurrency?: number; onFailed?: OnFailed }

export type CloseOptions = { graceMs?: number }

export type QueueOptions = {
  /** The names that may be used. */
  queues: readonly string[]
  /** How long a worker that does not answer keeps its jobs: 4 s by default; pg-boss has no less than 10 s. */
  leaseMs?: number
  /** How often a worker looks for jobs that it was not told of: 1 s by default. */
  pollMs?: number
  /** 10 min by default. */
  keepFinishedMs?: number
  /** How often finished jobs are looked through: 1 min by default. */
  cleanUpEveryMs?: number
  logger?: QueueLogger
}

export type QueueLogger = Pick<Logger, 'warn'>

/** Thrown by a handler for which another attempt would be in vain. */
export class NotRetryableError extends Error {
  override readonly name = 'NotRetryableError'
}

/** The reason of a handler's aborted signal. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted'
  readonly reason: 'gone' | 'closing'

  constructor(reason: 'gone' | 'closing') {
    super(
      reason === 'gone'
        ? 'The job was cancelled, or another worker has it now.'
        : 'The worker is closing and the job goes back to the queue.',
    )
    this.reason = reason
  }
}

/** pg-boss on PostgreSQL, an embedded queue on SQLite. */
export async function createQueue(store: AnyStore, options: QueueOptions): Promise<Queue> {
  if (store.kind === 'postgres') {
    const { createPgBossQueue } = await import('./pg-boss-queue.ts')
    return createPgBossQueue(store, options)
  }
  const { createSqliteQueue } = await import('./sqlite-queue.ts')
  return createSqliteQueue(store, options)
}
