import { type Kysely, sql } from 'kysely'
import { fromJson } from '../store/json.ts'
import type { Transaction } from '../store/store.ts'
import type { CheckedRequest } from './job-request.ts'
import type { ClaimedJob, Failure, Outcome } from './job-source.ts'
import type { JobInfo } from './queue.ts'
import type { JobSchema } from './sqlite-job-schema.ts'

type JobDb = Kysely<JobSchema>

const FREE = { lease_owner: null, lease_until: null } as const
/** So that clearing up never holds the file for long. */
const DELETED_AT_ONCE = 5_000

export async function insertJob(db: JobDb, request: CheckedRequest, now: number): Promise<boolean> {
  const { id, queue, payload, priority, delayMs, retry } = request
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('queue_job')
    .values({
      ...{ id, queue, payload, priority, state: 'waiting', attempts: 0, run_at: now + delayMs },
      ...{ retry_limit: retry.limit, backoff_ms: retry.backoffMs, max_backoff_ms: retry.maxBackoffMs },
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** When the next waiting job is due; undefined when none waits. */
export async function readNextDue(db: JobDb, queue: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('queue_job')
    .select('run_at')
    .where('state', '=', sql.lit('waiting'))
    .where('queue', '=', queue)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst()
  return row?.run_at
}

export type Claim = { queue: string; owner: string; limit: number; now: number; leaseUntil: number }

export async function claimJobs({ db }: Transaction<JobSchema>, claim: Claim): Promise<ClaimedJob[]> {
  const next = db
    .selectFrom('queue_job')
    .select('seq')
    .where('state', '=', sql.lit('waiting'))
    .where('queue', '=', claim.queue)
    // The sign keeps SQLite on the index that has the order; by time it would sort all that are due.
    .where(sql`+run_at`, '<=', claim.now)
    .orderBy('priority', 'desc')
    .orderBy('seq')
    .limit(claim.limit)
  const rows = await db
    .updateTable('queue_job')
    .set((row) => ({
      state: 'running',
      attempts: row('attempts', '+', 1),
      lease_owner: claim.owner,
      lease_until: claim.leaseUntil,
    }))
    .where('seq', 'in', next)
    .returningAll()
    .execute()
  // An update returns its rows in no particular order.
  rows.sort((one, other) => other.priority - one.priority || Number(one.seq) - Number(other.seq))
  return rows.map((row) => ({
    ...{ id: row.id, queue: row.queue, priority: row.priority, attempt: row.attempts },
    ...{ payload: fromJson(row.payload), error: row.error },
    retry: { limit: row.retry_limit, backoffMs: row.backoff_ms, maxBackoffMs: row.max_backoff_ms },
  }))
}

export async function storeOutcomes(
  { db }: Transaction<JobSchema>,
  owner: string,
  outcomes: readonly Outcome[],
  now: number,
): Promise<void> {
  const update = (jobs: readonly Outcome[]) =>
    db
      .updateTable('queue_job')
      .where('state', '=', 'running')
      .where('lease_owner', '=', owner)
      .where(
        'id',
        'in',
        jobs.map(({ job }) => job.id),
      )
  const completed = outcomes.filter(({ kind }) => kind === 'completed')
  if (completed.length > 0)
    await update(completed)
      .set({ ...FREE, state: 'completed', finished_at: now })
      .execute()
  const released = outcomes.filter(({ kind }) => kind === 'released')
  if (released.length > 0)
    await update(released)
      .set((row) => ({ ...FREE, state: 'waiting', attempts: row('attempts', '-', 1) }))
      .execute()
  for (const outcome of outcomes) {
    if (outcome.kind === 'failed') await failJob(db, owner, outcome, now)
    if (outcome.kind !== 'postponed') continue
    const { error, retryInMs, isSpent } = outcome
    await update([outcome])
      .set((row) => ({
        ...{ ...FREE, error, state: 'waiting', run_at: now + retryInMs },
        ...(isSpent && { retry_limit: sql`min(${row.ref('retry_limit')}, ${row.ref('attempts')} - 1)` }),
      }))
      .execute()
  }
}

/** False when the worker no longer holds the job. */
export async function failJob(
  db: JobDb,
  owner: string,
  { job, error }: Failure,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('queue_job')
    .set({ ...FREE, error, state: 'failed', finished_at: now })
    .where('id', '=', job.id)
    .where('state', '=', 'running')
    .where('lease_owner', '=', owner)
    .where('attempts', '=', job.attempt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function renewLeases(
  db: JobDb,
  owner: string,
  ids: readonly string[],
  leaseUntil: number,
): Promise<Set<string>> {
  const rows = await db
    .updateTable('queue_job')
    .set({ lease_until: leaseUntil })
    .where('state', '=', 'running')
    .where('lease_owner', '=', owner)
    .where('id', 'in', ids)
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export type Recovery = { queue: string; held: readonly string[]; now: number; leaseMs: number }

/** Takes jobs from workers that were not heard of; whoever claims one next sees whether it may be repeated. */
export async function recoverJobs(db: JobDb, { queue, held, now, leaseMs }: Recovery): Promise<void> {
  const expired = await db
    .selectFrom('queue_job')
    .select(['id', 'lease_until'])
    .where('state', '=', sql.lit('running'))
    .where('queue', '=', queue)
    // No lease reaches that far unless the clock was set back meanwhile.
    .where((row) => row.or([row('lease_until', '<', now), row('lease_until', '>', now + 10 * leaseMs)]))
    .execute()
  for (const { id, lease_until } of expired) {
    // A clock that was set forward must not take from us what we are at.
    if (held.includes(id)) continue
    await db
      .updateTable('queue_job')
      .set({ ...FREE, error: 'The worker that ran this job was not heard of any more.', state: 'waiting' })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('lease_until', '=', lease_until)
      .execute()
  }
}

export async function cancelJob(db: JobDb, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('queue_job')
    .set({ ...FREE, state: 'cancelled', finished_at: now })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function readJob(db: JobDb, id: string): Promise<JobInfo | undefined> {
  return (
    db
      .selectFrom('queue_job')
      .select(['id', 'queue', 'state', 'error'])
      // One more is counted whenever a job is taken in order to be failed.
      .select(sql<number>`min(attempts, retry_limit + 1)`.as('attempts'))
      .where('id', '=', id)
      .executeTakeFirst()
  )
}

export async function deleteFinished(db: JobDb, before: number): Promise<void> {
  for (;;) {
    const some = db
      .selectFrom('queue_job')
      .select('seq')
      .where('finished_at', '<', before)
      .limit(DELETED_AT_ONCE)
    const { numDeletedRows } = await db.deleteFrom('queue_job').where('seq', 'in', some).executeTakeFirst()
    if (numDeletedRows < DELETED_AT_ONCE) return
  }
}
