import type { AnyTransaction } from '../store/store.ts'
import type { Job, RetryPolicy } from './queue.ts'

/** What a worker needs from a database: the part of a queue in which SQLite and pg-boss differ. */
export type JobSource = Readonly<{
  /** Stores the outcomes and takes up to `limit` jobs. Outcomes of jobs that the worker no longer holds are ignored. */
  exchange(turn: Turn): Promise<{
    claimed: ClaimedJob[]
    /** When to look again, unless woken before. */
    idleMs: number
  }>
  /** Ends the job as failed, together with what is written alongside. Does neither when the worker no longer holds the job. */
  fail(owner: string, failure: Failure, alongside: (tx: AnyTransaction) => Promise<unknown>): Promise<void>
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

/** One that was begun more often than its policy allows was taken in order to be failed. */
export type ClaimedJob = Job &
  Readonly<{
    attempt: number
    retry: RetryPolicy
    /** Of the attempt before. */
    error: string | null
  }>

export type Outcome =
  | Readonly<{ job: ClaimedJob; kind: 'completed' | 'released' }>
  | Failure
  /** To be repeated, or, when its attempts are used up, to be failed then. */
  | Readonly<{ job: ClaimedJob; kind: 'postponed'; error: string; retryInMs: number; isSpent: boolean }>

export type Failure = Readonly<{ job: ClaimedJob; kind: 'failed'; error: string }>
