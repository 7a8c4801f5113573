import type { Job, RetryPolicy } from './queue.ts'

/** What a worker needs from a database: the part of a queue in which SQLite and pg-boss differ. */
export type JobSource = Readonly<{
  /** Stores the outcomes and takes up to `limit` jobs. Outcomes of jobs that the worker no longer holds are ignored. */
  exchange(turn: Turn): Promise<{
    claimed: ClaimedJob[]
    /** When to look again, unless woken before. */
    idleMs: number
  }>
  /** Renews the leases and returns the ids of those that were still held. */
  heartbeat(queue: string, owner: string, jobs: readonly ClaimedJob[]): Promise<ReadonlySet<string>>
}>

export type Turn = Readonly<{
  queue: string
  owner: string
  outcomes: readonly Outcome[]
  limit: number
  /** Ids of the jobs that this worker is at. */
  held: readonly string[]
}>

export type ClaimedJob = Job & Readonly<{ attempt: number; retry: RetryPolicy }>

export type Outcome = Readonly<
  { job: ClaimedJob } & (
    | { kind: 'completed' }
    | { kind: 'released' }
    | { kind: 'failed'; error: string; retryInMs: number | undefined }
  )
>
