/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Aborted when a credential's time is over (milliseconds since the epoch), so that the streams it opened end with it. Holds nothing alive. */
export function expirySignal(expiresAt: number, now: number = Date.now()): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(expiresAt - now)), LONGEST_TIMER_MS))
}
