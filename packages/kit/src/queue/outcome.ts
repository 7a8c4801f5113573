import type { ClaimedJob, Outcome } from './job-source.ts'
import { NotRetryableError } from './queue.ts'

export function toFailure(job: ClaimedJob, error: unknown): Outcome {
  const { attempt, retry } = job
  const isFinal = error instanceof NotRetryableError || attempt > retry.limit
  const backoffMs = retry.backoffMs * 2 ** Math.min(attempt - 1, 30)
  return {
    job,
    kind: 'failed',
    // Databases refuse NUL in text, and a stack or a page of output has no place here.
    error: String(error instanceof Error ? error.message : error)
      .replaceAll('\0', '')
      .slice(0, 2_000),
    retryInMs: isFinal ? undefined : Math.min(backoffMs, retry.maxBackoffMs),
  }
}
