import type { Logger } from '../log.ts'
import type { RatePolicy } from './rate-limits.ts'
import type { Windows, WindowUse } from './windows.ts'

export type InsuredWindowsOptions = Readonly<{
  shared: Windows
  /** Counts while the shared ones do not answer. */
  fallback: Windows
  logger: Logger
  deadlineMs?: number
  /** How long the shared ones are left alone after a failure, so that not every request waits for the deadline. */
  restMs?: number
  now?: () => number
}>

/** A database that is down or slow makes limits local to each process; it never makes a request wait or fail. */
export function createInsuredWindows(options: InsuredWindowsOptions): Windows {
  const {
    shared,
    fallback,
    logger,
    deadlineMs = 500,
    restMs = 5_000,
    now = () => performance.now(),
  } = options
  let failedAt = Number.NEGATIVE_INFINITY
  let isFailing = false

  async function hit(policy: RatePolicy, key: string): Promise<WindowUse> {
    if (now() - failedAt < restMs) return fallback.hit(policy, key)
    // One request at a time finds out whether it is back.
    if (isFailing) failedAt = now()
    try {
      const use = await withDeadline(shared.hit(policy, key), deadlineMs)
      if (isFailing) logger.info('rate limits are shared through the database again')
      isFailing = false
      return use
    } catch (error) {
      failedAt = now()
      if (!isFailing)
        logger.warn({ err: error }, 'rate limits count per process until the database answers again')
      isFailing = true
      return fallback.hit(policy, key)
    }
  }

  return Object.freeze({ hit })
}

function withDeadline<Result>(promise: Promise<Result>, deadlineMs: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`The database did not answer within ${deadlineMs} ms.`)),
    deadlineMs,
  )
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
