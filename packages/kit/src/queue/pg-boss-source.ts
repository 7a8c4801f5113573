import { sql } from 'kysely'
import type { CommandResponse, JobWithMetadata, PgBoss } from 'pg-boss'
import { fromJson } from '../store/json.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { ClaimedJob, Failure, JobSource, Outcome } from './job-source.ts'
import { toPgBossDatabase } from './pg-boss-database.ts'
import type { JobInfo, JobState, RetryPolicy } from './queue.ts'

export type Envelope = {
  /** Text, so that it comes back as it was; `jsonb` reorders keys and refuses NUL. */
  payload: string
  retry: RetryPolicy
}

export function createPgBossSource(boss: PgBoss, store: Store, pollMs: number): JobSource {
  return Object.freeze({
    async exchange({ queue, outcomes, limit }) {
      const completed = outcomes.filter(({ kind }) => kind === 'completed').map(({ job }) => toAttempt(job))
      if (completed.length > 0) await boss.complete(queue, completed)
      for (const outcome of outcomes)
        if (outcome.kind !== 'completed') await store.transaction((tx) => storeOutcome(boss, outcome, tx))
      if (limit === 0) return { claimed: [], idleMs: pollMs }
      const jobs = await boss.fetch<Envelope>(queue, { batchSize: limit, includeMetadata: true })
      // They are chosen in this order, but returned in none.
      jobs.sort(
        (one, other) => other.priority - one.priority || one.createdOn.getTime() - other.createdOn.getTime(),
      )
      return { claimed: jobs.map(toClaimed), idleMs: jobs.length > 0 ? 0 : pollMs }
    },
    async fail(_owner, failure, alongside) {
      await store.transaction(async (tx) => {
        if (await storeFailure(boss, failure, tx)) await alongside(tx)
      })
    },
    async heartbeat(queue, _owner, jobs) {
      return new Set(readResponse(await boss.touch(queue, jobs.map(toAttempt))).ids)
    },
  } satisfies JobSource)
}

async function storeOutcome(boss: PgBoss, outcome: Outcome, tx: Transaction): Promise<void> {
  const { job } = outcome
  const db = toPgBossDatabase(tx)
  const ours = isOurs(job)
  if (outcome.kind === 'released') {
    // pg-boss can give a job back only as failed or as cancelled, and would count the attempt.
    const release = sql`update pgboss.job set state = 'created', started_on = null, heartbeat_on = null where ${ours}`
    const { numAffectedRows = 0n } = await release.execute(tx.db)
    // For the sake of its notification: another process may be idle.
    if (numAffectedRows > 0n) await boss.update(job.queue, undefined, { id: job.id, startAfter: 0, db })
  } else if (outcome.kind === 'failed') {
    await storeFailure(boss, outcome, tx)
  } else if (outcome.kind === 'postponed') {
    const { error, retryInMs, isSpent } = outcome
    const limit = isSpent ? Math.min(job.retry.limit, job.attempt - 1) : job.retry.limit
    const keep = sql`update pgboss.job set data = jsonb_set(data, '{retry,limit}', to_jsonb(${limit}::int)) where ${ours}`
    const { numAffectedRows = 0n } = await keep.execute(tx.db)
    if (numAffectedRows === 0n) return
    await boss.fail(job.queue, toAttempt(job), { message: error }, { db })
    // pg-boss counts delays in seconds.
    await boss.update(job.queue, undefined, { id: job.id, startAfter: retryInMs / 1_000, db })
  }
}

/** False when the worker no longer holds the job. */
async function storeFailure(boss: PgBoss, { job, error }: Failure, tx: Transaction): Promise<boolean> {
  const last = sql`update pgboss.job set retry_limit = retry_count where ${isOurs(job)}`
  const { numAffectedRows = 0n } = await last.execute(tx.db)
  if (numAffectedRows === 0n) return false
  await boss.fail(job.queue, toAttempt(job), { message: error }, { db: toPgBossDatabase(tx) })
  return true
}

function isOurs({ id, queue, attempt }: ClaimedJob) {
  return sql`name = ${queue} and id = ${id} and state = 'active' and retry_count = ${attempt - 1}`
}

function toClaimed(row: JobWithMetadata<Envelope>): ClaimedJob {
  const { payload, retry } = row.data
  return {
    ...{ id: row.id, queue: row.name, priority: row.priority, attempt: row.retryCount + 1 },
    ...{ payload: fromJson(payload), retry, error: readMessage(row.output) },
  }
}

/** Fences the call to this attempt: once another worker has the job, it does nothing. */
function toAttempt({ id, attempt }: ClaimedJob): { id: string; retryCount: number } {
  return { id, retryCount: attempt - 1 }
}

const STATES: Readonly<Record<JobWithMetadata['state'], JobState>> = {
  created: 'waiting',
  retry: 'waiting',
  active: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function toJobInfo(row: JobWithMetadata<Envelope>): JobInfo {
  const attempts = row.startedOn === null ? row.retryCount : row.retryCount + 1
  return {
    id: row.id,
    queue: row.name,
    state: STATES[row.state],
    // One more is counted whenever a job is taken in order to be failed.
    attempts: Math.min(attempts, row.data.retry.limit + 1),
    error: readMessage(row.output),
  }
}

/** Ours is `{ message }`, that of a lost heartbeat `{ value: { message } }`. */
function readMessage(output: unknown): string | null {
  if (typeof output !== 'object' || output === null) return null
  if ('message' in output) return String(output.message)
  return 'value' in output ? readMessage(output.value) : null
}

/** What its types leave out: how many jobs were touched, and which. */
export function readResponse(response: CommandResponse): { affected: number; ids: string[] } {
  const affected = 'affected' in response ? Number(response.affected) : 0
  const ids = 'settled' in response && Array.isArray(response.settled) ? response.settled.map(String) : []
  return { affected, ids }
}
