import type { MetricsMessage } from '@quire/composer/contract'

export interface Rates {
  readonly last: MetricsMessage
  /** Calls of tools a second, between one message and the next; the newest at the end. */
  readonly calls: readonly number[]
  readonly errors: readonly number[]
}

export const MOST_RATES = 60

/** A composer that was started again counts from zero: what was known of the one before is dropped. */
export function addRates(before: Rates | undefined, message: MetricsMessage): Rates {
  if (before === undefined || message.uptime_seconds < before.last.uptime_seconds)
    return { last: message, calls: [], errors: [] }
  const seconds = message.uptime_seconds - before.last.uptime_seconds
  if (seconds === 0) return before
  const add = (rates: readonly number[], count: number) => [...rates, count / seconds].slice(-MOST_RATES)
  return {
    last: message,
    calls: add(before.calls, message.tool_invocations_total - before.last.tool_invocations_total),
    errors: add(before.errors, message.tool_errors_total - before.last.tool_errors_total),
  }
}
