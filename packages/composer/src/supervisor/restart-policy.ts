import { backoffDelay } from '@quire/mcp/connection/backoff'
import type { Clock } from '@quire/mcp/connection/clock'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerFailure } from './supervisor.ts'

export type FailureFacts = Omit<ServerFailure, 'at'>

/** How one generation of a server came to its end, unless we ended it. */
export type Ending =
  /** Nobody used it for long enough. */
  | { readonly type: 'idle' }
  | { readonly type: 'exited' | 'failed' | 'forgotten'; readonly facts: FailureFacts }

export type Verdict =
  /** Until somebody needs it. */
  | { readonly next: 'sleep' }
  /** It has done its work. */
  | { readonly next: 'rest' }
  | { readonly next: 'reopen' }
  | { readonly next: 'retry'; readonly delayMs: number }
  /** With the limit that it has reached, in words, and how long it should be left in peace; both absent when it is not to be restarted at all. */
  | { readonly next: 'give-up'; readonly limit?: string; readonly delayMs?: number }

export interface RestartPolicy {
  /** A start begins now. */
  started(): void
  /** After how long a run: undefined when it was never ready. */
  judge(ending: Ending, ranMs: number | undefined): Verdict
  clear(): void
}

export interface RestartPolicyOptions {
  /** As it is now. */
  readonly definition: () => ServerDefinition
  readonly clock: Clock
  readonly random: () => number
}

const STABLE_MS = 60_000
const WINDOW_MS = 120_000
const MAX_STARTS = 5
const SHORTEST_MS = 100
const LONGEST_MS = 30_000

/** What follows the end of a server. A run of a minute makes good whatever was before. */
export function createRestartPolicy(options: RestartPolicyOptions): RestartPolicy {
  const { definition, clock, random } = options
  let failures = 0
  let wasForgotten = false
  let starts: number[] = []

  function clear(): void {
    failures = 0
    wasForgotten = false
    starts = []
  }

  function started(): void {
    const since = clock.now() - WINDOW_MS
    starts = [...starts.filter((at) => at > since), clock.now()]
  }

  function judge(ending: Ending, ranMs: number | undefined): Verdict {
    if (ending.type === 'idle') return { next: 'sleep' }
    if (ranMs !== undefined && ranMs >= STABLE_MS) clear()
    if (ending.type === 'forgotten' && !wasForgotten) {
      wasForgotten = true
      return { next: 'reopen' }
    }
    const { policy, delayMs } = definition().restart
    if (ending.type === 'exited' && policy !== 'always') return { next: 'rest' }
    if (policy === 'never') return { next: 'give-up' }
    failures += 1
    const delay = restartDelay(failures, delayMs, random)
    const limit = limitBefore(delay)
    if (limit === undefined) return { next: 'retry', delayMs: delay }
    return { next: 'give-up', limit, delayMs: delay }
  }

  /** The limit that one more start, after the delay, would exceed. */
  function limitBefore(delayMs: number): string | undefined {
    const { maxRestarts } = definition().restart
    if (maxRestarts !== undefined) return failures > maxRestarts ? restartsInWords(maxRestarts) : undefined
    if (isElsewhere(definition())) return undefined
    const since = clock.now() + delayMs - WINDOW_MS
    if (starts.filter((at) => at > since).length < MAX_STARTS) return undefined
    return `it was started ${MAX_STARTS} times within ${WINDOW_MS / 1000} s`
  }

  return Object.freeze({ started, judge, clear })
}

/** We only call on it: to try again costs next to nothing, and whoever runs it may take hours to bring it back. */
function isElsewhere(definition: ServerDefinition): boolean {
  const { transport } = definition
  return (transport === 'http' || transport === 'sse') && definition.program === undefined
}

function restartsInWords(count: number): string {
  if (count === 0) return 'it is not to be restarted'
  return count === 1 ? 'it was restarted once' : `it was restarted ${count} times in a row`
}

/** The house's own delays, or those that double from the one configured; both 20 % shorter or longer by chance. */
function restartDelay(attempt: number, firstMs: number | undefined, random: () => number): number {
  if (firstMs === undefined) return backoffDelay(attempt, random)
  const spread = backoffDelay(1, random) / backoffDelay(1, () => 0.5)
  // The first may come at once, but nothing may be tried for ever without a pause.
  const steady = attempt === 1 ? firstMs : Math.max(SHORTEST_MS, firstMs) * 2 ** (attempt - 1)
  return spread * Math.min(Math.max(LONGEST_MS, firstMs), steady)
}
