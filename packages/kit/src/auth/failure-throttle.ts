/** Counts wrong tokens per address. Right ones always pass, so a neighbour on the same address can lock nobody out. */
export interface FailureThrottle {
  /** Seconds to wait when this address has failed too often within the window, else 0. */
  record(address: string): number
  /** For the header `RateLimit-Policy`. */
  readonly policy: string
}

export interface FailureThrottleOptions {
  readonly failures?: number
  readonly windowMs?: number
  /** Addresses remembered at the most; the oldest is forgotten first. */
  readonly addresses?: number
  readonly now?: () => number
}

export function createFailureThrottle(options: FailureThrottleOptions = {}): FailureThrottle {
  const { failures = 60, windowMs = 60_000, addresses = 10_000, now = () => performance.now() } = options
  const windows = new Map<string, { count: number; endsAt: number }>()
  return Object.freeze({
    policy: `"wrong-tokens";q=${failures};w=${Math.ceil(windowMs / 1000)}`,
    record(address: string) {
      const time = now()
      const current = windows.get(address)
      if (!current || current.endsAt <= time) {
        windows.delete(address)
        windows.set(address, { count: 1, endsAt: time + windowMs })
        const [oldest] = windows.keys()
        if (windows.size > addresses && oldest !== undefined) windows.delete(oldest)
        return 0
      }
      current.count += 1
      return current.count > failures ? Math.max(1, Math.ceil((current.endsAt - time) / 1000)) : 0
    },
  })
}
