import type { Clock } from '@quire/mcp/connection/clock'
import type { FailureFacts, Verdict } from './restart-policy.ts'
import type { ServerFailure, StartFacts } from './supervisor.ts'

/** How often a server has failed since it last ran, why, and when it may be started again. */
export interface Outage {
  readonly lastError: ServerFailure | null
  /** It stays crashed because of a limit. */
  readonly hasGivenUp: boolean
  /** Until it is started again by itself. */
  retryInMs(): number | null
  /** Until a call may start it; undefined: none may. */
  wakeableInMs(): number | undefined
  /** A start begins, for a call or not. */
  starts(forCall: boolean): void
  isOver(): StartFacts
  failed(facts: FailureFacts, verdict: Extract<Verdict, { next: 'retry' | 'give-up' }>): ServerFailure
  /** Nobody wants the server any more. */
  forget(): void
}

export function createOutage(clock: Clock): Outage {
  let failures = 0
  let startedAt = 0
  let isForCall = false
  let lastError: ServerFailure | null = null
  let hasGivenUp = false
  let retryAt: number | undefined
  let wakeableAt: number | undefined

  function starts(forCall: boolean): void {
    startedAt = clock.now()
    isForCall = forCall
    hasGivenUp = false
    retryAt = undefined
    wakeableAt = undefined
  }

  return Object.freeze<Outage>({
    get lastError() {
      return lastError
    },
    get hasGivenUp() {
      return hasGivenUp
    },
    retryInMs: () => (retryAt === undefined ? null : Math.max(0, Math.ceil(retryAt - clock.now()))),
    wakeableInMs: () => (wakeableAt === undefined ? undefined : Math.max(0, wakeableAt - clock.now())),
    starts,
    isOver() {
      const start = { tookMs: Math.round(clock.now() - startedAt), failures }
      failures = 0
      isForCall = false
      return start
    },
    failed(facts, verdict) {
      const now = clock.now()
      const { delayMs } = verdict
      const limit = verdict.next === 'give-up' ? verdict.limit : undefined
      failures += 1
      hasGivenUp = limit !== undefined
      retryAt = verdict.next === 'retry' ? now + verdict.delayMs : undefined
      // The first call after a failure need not wait; those after a start that was made for a call do.
      wakeableAt = delayMs === undefined ? undefined : now + (isForCall ? delayMs : 0)
      const reason = limit === undefined ? facts.reason : `${facts.reason}; ${limit} and is left alone now`
      lastError = Object.freeze({ ...facts, reason, at: new Date().toISOString() })
      return lastError
    },
    forget() {
      starts(false)
      failures = 0
    },
  })
}
