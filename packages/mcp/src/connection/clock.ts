import { setTimeout as timeout } from 'node:timers/promises'

/** Monotonic: a jump of the wall clock neither shortens nor prolongs a wait. */
export interface Clock {
  now(): number
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await timeout(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
})
