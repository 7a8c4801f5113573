import type { Principal } from '@quire/kit/auth/principal'
import { CallerError } from '@quire/kit/errors'
import { createRateLimiter } from '@quire/kit/rate-limit/limiter'
import type { RatePolicy } from '@quire/kit/rate-limit/rate-limits'
import type { AuthorizationSettings } from '../config/config.ts'
import { rolesOf } from './composer-principal.ts'

/** How many tool calls a caller may make in a minute. */
export interface CallLimiter {
  /** Counts one call. Returns headers for the answer; throws a `CallerError` (429, with `Retry-After`) when there were too many. */
  admit(principal: Principal | undefined): Promise<Readonly<Record<string, string>>>
}

export interface CallLimiterOptions {
  /** Milliseconds on a clock that never jumps. */
  readonly now?: (() => number) | undefined
}

const WINDOW_SECONDS = 60
const NO_HEADERS = Object.freeze({})

/** The limit of a caller is the highest among those of their roles, else the one for all. */
export function createCallLimits(
  settings: AuthorizationSettings,
  options: CallLimiterOptions = {},
): CallLimiter {
  const rateLimit = settings.enabled ? settings.rateLimit : undefined
  if (!rateLimit) return Object.freeze({ admit: async () => NO_HEADERS })
  const { perMinute, perRole } = rateLimit
  const policies = [
    policyOf('tool-calls', perMinute),
    ...Object.values(perRole).map((quota) => policyOf(`tool-calls-${quota}`, quota)),
  ]
  const limiter = createRateLimiter({
    limits: new Map(policies.map((policy) => [policy.name, policy])),
    ...(options.now && { memory: { now: options.now } }),
  })

  return Object.freeze({
    async admit(principal) {
      const quotas = rolesOf(principal).flatMap(
        (role) => (Object.hasOwn(perRole, role) ? perRole[role] : undefined) ?? [],
      )
      const policy = quotas.length > 0 ? `tool-calls-${Math.max(...quotas)}` : 'tool-calls'
      const verdict = await limiter.consume(policy, `subject:${principal?.subject ?? ''}`)
      if (!verdict || verdict.allowed) return verdict?.headers ?? NO_HEADERS
      throw new CallerError(
        'rate_limit',
        `Too many tool calls: ${verdict.limit} a minute are allowed. Try again in ${verdict.resetSeconds} s.`,
        { headers: verdict.headers, code: 'RATE_LIMITED' },
      )
    },
  } satisfies CallLimiter)
}

function policyOf(name: string, quota: number): RatePolicy {
  return { name, quota, windowSeconds: WINDOW_SECONDS }
}
