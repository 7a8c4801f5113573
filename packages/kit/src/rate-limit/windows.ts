import type { RatePolicy } from './rate-limits.ts'

/** What was used of a window, this request included, and when the window ends. */
export type WindowUse = Readonly<{ used: number; resetMs: number }>

/** Counts requests per policy and key, in windows that begin with a key's first request. */
export type Windows = Readonly<{ hit(policy: RatePolicy, key: string): Promise<WindowUse> }>

export type MemoryWindowsOptions = Readonly<{
  /** Milliseconds on a clock that never jumps. */
  now?: () => number
  /** Per policy; beyond it the window that ends first is forgotten. */
  maxKeys?: number
}>

/**
 * The windows of one process. Not the library's memory store: that one follows the wall clock, and keeps a timer for each of
 * an unbounded number of keys.
 */
export function createMemoryWindows(options: MemoryWindowsOptions = {}): Windows {
  const { now = () => performance.now(), maxKeys = 50_000 } = options
  const windowsOf = new Map<string, Map<string, { used: number; endsAt: number }>>()

  async function hit(policy: RatePolicy, key: string): Promise<WindowUse> {
    const time = now()
    const windows = windowsOf.get(policy.name) ?? new Map()
    windowsOf.set(policy.name, windows)
    // All are equally long, so the order in which they began is the order in which they end.
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > time) break
      windows.delete(oldest)
    }
    const window = windows.get(key) ?? { used: 0, endsAt: time + policy.windowSeconds * 1000 }
    window.used += 1
    windows.set(key, window)
    if (windows.size > maxKeys) windows.delete(windows.keys().next().value)
    return { used: window.used, resetMs: window.endsAt - time }
  }

  return Object.freeze({ hit })
}
