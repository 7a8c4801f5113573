import type { ClaimedJob, Failure, Outcome } from './job-source.ts'
import { NotRetryableError } from './queue.ts'

const TELL_BACKOFF_MS = 1_000
const TELL_MAX_BACKOFF_MS = 60_000

export function isSpent({ attempt, retry }: ClaimedJob): boolean {
  return attempt > retry.limit + 1
}

export function isLastAttempt({ attempt, retry }: ClaimedJob): boolean {
  return attempt > retry.limit
}

export function toFailure(
  job: ClaimedJob,
  reason: unknown,
): Exclude<Outcome, { kind: 'completed' | 'released' }> {
  const { attempt, retry } = job
  // Databases refuse NUL in text, and a stack or a page of output has no place here.
  const error = String(reason instanceof Error ? reason.message : reason)
    .replaceAll('\0', '')
    .slice(0, 2_000)
  if (reason instanceof NotRetryableError || isLastAttempt(job)) return { job, kind: 'failed', error }
  const retryInMs = toBackoff(retry.backoffMs, retry.maxBackoffMs, attempt - 1)
  return { job, kind: 'postponed', error, retryInMs, isSpent: false }
}

/** Of a job that was taken in order to be failed. */
export function toLastFailure(job: ClaimedJob): Failure {
  return { job, kind: 'failed', error: job.error ?? 'The job was begun too often.' }
}

/** Failed, but its owner could not be told yet. */
export function toUntold({ job, error }: Failure): Outcome {
  const failures = Math.max(0, job.attempt - job.retry.limit - 1)
  const retryInMs = toBackoff(TELL_BACKOFF_MS, TELL_MAX_BACKOFF_MS, failures)
  return { job, kind: 'postponed', error, retryInMs, isSpent: true }
}

function toBackoff(ms: number, mostMs: number, failures: number): number {
  return Math.min(ms * 2 ** Math.min(failures, 30), mostMs)
}
