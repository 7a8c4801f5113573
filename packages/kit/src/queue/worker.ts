import { randomUUID } from 'node:crypto'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { createAlarm } from './alarm.ts'
import type { ClaimedJob, Failure, JobSource, Outcome } from './job-source.ts'
import { isLastAttempt, isSpent, toFailure, toLastFailure, toUntold } from './outcome.ts'
import {
  type CloseOptions,
  type Job,
  JobAborted,
  type JobHandler,
  type OnFailed,
  type QueueLogger,
} from './queue.ts'

export type WorkerOptions = {
  source: JobSource
  queue: string
  concurrency: number
  handler: JobHandler
  onFailed: OnFailed | undefined
  leaseMs: number
  pollMs: number
  logger: QueueLogger | undefined
}

export type RunningWorker = ReturnType<typeof createWorker>

type Run = {
  readonly job: ClaimedJob
  readonly abort: AbortController
  ended: Promise<void>
  /** On our own monotonic clock. */
  leasedUntil: number
  /** Set when the handler has ended, or is no longer waited for. */
  outcome: Outcome | 'ignored' | undefined
  /** The outcome when it is no longer waited for. */
  unfinished: Outcome | 'ignored'
}

/** How long a handler may take to notice that its signal was aborted. */
const UNWIND_MS = 1_000
const STORE_MS = 5_000

/** Fills its slots with jobs. One loop talks to the source, so what ends while it talks is stored together afterwards. */
export function createWorker(options: WorkerOptions) {
  const { source, queue, concurrency, leaseMs, pollMs, logger } = options
  const owner = randomUUID()
  const runs = new Set<Run>()
  const alarm = createAlarm()
  let giveUpAt = Number.POSITIVE_INFINITY
  let closing: Promise<void> | undefined
  let isBeating = false
  const heartbeat = setInterval(tick, Math.min(1_000, leaseMs / 4)).unref()
  const ended = loop().finally(() => clearInterval(heartbeat))

  async function loop(): Promise<void> {
    for (let failures = 0; !closing || (runs.size > 0 && performance.now() < giveUpAt); ) {
      // Handlers that end in the same turn of the event loop are stored in one commit.
      await setImmediate()
      try {
        await alarm.wait(await takeTurn())
        failures = 0
      } catch (error) {
        logger?.warn({ err: error, queue }, 'the queue could not be reached; trying again')
        await alarm.wait(Math.min(50 * 2 ** failures++, pollMs))
      }
    }
  }

  /** Returns how long there is nothing to do. */
  async function takeTurn(): Promise<number> {
    const over = [...runs].filter((run) => run.outcome !== undefined)
    const outcomes = over.flatMap(({ outcome }) =>
      outcome === undefined || outcome === 'ignored' ? [] : outcome,
    )
    const limit = closing ? 0 : concurrency - runs.size + over.length
    if (outcomes.length === 0 && limit === 0) {
      for (const run of over) runs.delete(run)
      return closing && runs.size === 0 ? 0 : pollMs
    }
    const held = [...runs].filter(isAtWork).map(({ job }) => job.id)
    const leasedUntil = performance.now() + leaseMs
    const { claimed, idleMs } = await source.exchange({ queue, owner, outcomes, limit, held })
    for (const run of over) runs.delete(run)
    for (const job of claimed) start(job, leasedUntil)
    for (const outcome of outcomes)
      if (outcome.kind === 'postponed' && outcome.retryInMs < pollMs)
        setTimeout(alarm.ring, outcome.retryInMs).unref()
    if (closing && runs.size === 0) return 0
    return runs.size < concurrency ? Math.min(idleMs, pollMs) : pollMs
  }

  function start(job: ClaimedJob, leasedUntil: number): void {
    // Ours again after the lease ran out: the run that lost it must not speak for this one.
    drop((run) => run.job.id === job.id)
    const abort = new AbortController()
    // Claimed while we were told to close: it goes back untouched.
    if (closing) abort.abort(new JobAborted('closing'))
    const unfinished: Outcome = { job, kind: 'released' }
    const run: Run = { job, abort, leasedUntil, unfinished, outcome: undefined, ended: Promise.resolve() }
    runs.add(run)
    run.ended = execute(run).then((outcome) => {
      run.outcome ??= outcome
      alarm.ring()
    })
  }

  async function execute(run: Run): Promise<Outcome | 'ignored'> {
    const { job, abort } = run
    if (abort.signal.aborted) return run.unfinished
    if (isSpent(job)) return conclude(run, toLastFailure(job))
    try {
      const { signal } = abort
      await options.handler(toJob(job), { signal, attempt: job.attempt, isLastAttempt: isLastAttempt(job) })
      return { job, kind: 'completed' }
    } catch (error) {
      if (closing && abort.signal.aborted) return run.unfinished
      const outcome = toFailure(job, error)
      return outcome.kind === 'failed' ? conclude(run, outcome) : outcome
    }
  }

  /** Nothing else stores the outcome once the owner was told with it. */
  async function conclude(run: Run, failure: Failure): Promise<Outcome | 'ignored'> {
    const { onFailed } = options
    if (onFailed === undefined || !isAtWork(run)) return failure
    const { job, error } = failure
    // Its transaction ends by itself, and if in vain, so does the lease.
    run.unfinished = 'ignored'
    try {
      const attempts = Math.min(job.attempt, job.retry.limit + 1)
      await source.fail(owner, failure, (tx) => onFailed(toJob(job), { error, attempts, tx }))
      return 'ignored'
    } catch (cause) {
      logger?.warn({ err: cause, queue, job: job.id }, 'a failed job could not be told of; trying again')
      return toUntold(failure)
    }
  }

  function tick(): void {
    // After our own event loop stood still, the lease is asked for before it is given up.
    if (isBeating) drop(isExpired)
    else void beat()
  }

  async function beat(): Promise<void> {
    const renewed = [...runs].filter((run) => run.outcome !== 'ignored')
    if (renewed.length === 0) return
    const leasedUntil = performance.now() + leaseMs
    isBeating = true
    try {
      const ids = await source.heartbeat(
        queue,
        owner,
        renewed.map(({ job }) => job),
      )
      for (const run of renewed) if (ids.has(run.job.id)) run.leasedUntil = leasedUntil
      drop((run) => renewed.includes(run) && !ids.has(run.job.id))
    } catch (error) {
      logger?.warn({ err: error, queue }, 'leases could not be renewed; trying again')
      drop(isExpired)
    } finally {
      isBeating = false
    }
  }

  /** Those runs do not count any more, whatever they return. */
  function drop(isGone: (run: Run) => boolean): void {
    for (const run of runs) {
      if (!isAtWork(run) || !isGone(run)) continue
      run.outcome = 'ignored'
      run.abort.abort(new JobAborted('gone'))
      alarm.ring()
    }
  }

  async function shutDown({ graceMs = 10_000 }: CloseOptions): Promise<void> {
    alarm.ring()
    await allEnded(graceMs)
    for (const run of runs) if (isAtWork(run)) run.abort.abort(new JobAborted('closing'))
    await allEnded(UNWIND_MS)
    for (const run of runs) run.outcome ??= run.unfinished
    giveUpAt = performance.now() + STORE_MS
    alarm.ring()
    await ended
  }

  async function allEnded(ms: number): Promise<void> {
    const waited = new AbortController()
    const tooLate = delay(ms, undefined, { signal: waited.signal, ref: false })
    await Promise.race([Promise.all([...runs].map((run) => run.ended)), tooLate])
    waited.abort()
  }

  return Object.freeze({
    queue,
    wake: alarm.ring,
    cancel: (id: string) => drop((run) => run.job.id === id),
    close(how: CloseOptions = {}): Promise<void> {
      closing ??= Promise.resolve().then(() => shutDown(how))
      return closing
    },
  })
}

function isExpired(run: Run): boolean {
  return run.leasedUntil < performance.now()
}

function isAtWork(run: Run): boolean {
  return run.outcome === undefined
}

function toJob({ id, queue, payload, priority }: ClaimedJob): Job {
  return Object.freeze({ id, queue, payload, priority })
}
