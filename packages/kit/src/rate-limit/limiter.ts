import type { Logger } from '../log.ts'
import type { PostgresAccess } from '../store/store.ts'
import { createInsuredWindows } from './insured-windows.ts'
import { createPostgresWindows } from './postgres-windows.ts'
import type { RateLimits, RatePolicy } from './rate-limits.ts'
import { createMemoryWindows, type MemoryWindowsOptions, type Windows, type WindowUse } from './windows.ts'

export type RateVerdict = Readonly<{
  allowed: boolean
  /** The name of the policy that was applied. */
  policy: string
  limit: number
  remaining: number
  /** Whole seconds, at least one. */
  resetSeconds: number
  windowSeconds: number
  /** For the answer, whatever it will be. */
  headers: Readonly<Record<string, string>>
}>

export type RateLimiter = Readonly<{
  /** Counts one request of a principal; undefined where no limit applies. Operations under `default` share one count. */
  consume(operationId: string, principal: string): Promise<RateVerdict | undefined>
}>

export type RateLimiterOptions = Readonly<{
  limits: RateLimits
  /** Shares the counts between processes; without it they are this process's own. */
  postgres?: Readonly<{ database: PostgresAccess; logger: Logger; deadlineMs?: number; restMs?: number }>
  memory?: MemoryWindowsOptions
}>

export function createRateLimiter({ limits, postgres, memory }: RateLimiterOptions): RateLimiter {
  const own = createMemoryWindows(memory)
  const windows: Windows = postgres
    ? createInsuredWindows({ ...postgres, shared: createPostgresWindows(postgres.database), fallback: own })
    : own
  const byDefault = limits.get('default')

  async function consume(operationId: string, principal: string): Promise<RateVerdict | undefined> {
    const policy = limits.get(operationId) ?? byDefault
    return policy && toVerdict(policy, await windows.hit(policy, principal))
  }

  return Object.freeze({ consume })
}

function toVerdict({ name, quota, windowSeconds }: RatePolicy, { used, resetMs }: WindowUse): RateVerdict {
  const verdict = {
    allowed: used <= quota,
    policy: name,
    limit: quota,
    remaining: Math.max(0, quota - used),
    resetSeconds: Math.min(windowSeconds, Math.max(1, Math.ceil(resetMs / 1000))),
    windowSeconds,
  }
  return Object.freeze({ ...verdict, headers: rateLimitHeaders(verdict) })
}

/** draft-ietf-httpapi-ratelimit-headers-10; `Retry-After` (RFC 9110) names the same moment, and only when it has to. */
export function rateLimitHeaders(verdict: Omit<RateVerdict, 'headers'>): Record<string, string> {
  const { allowed, policy, limit, remaining, resetSeconds, windowSeconds } = verdict
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    ...(allowed ? {} : { 'retry-after': `${resetSeconds}` }),
  }
}
