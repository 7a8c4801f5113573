import { setTimeout as wait } from 'node:timers/promises'

export interface Timer {
  /** Begins its time anew. */
  refresh(): void
  cancel(): void
}

export interface Clock {
  /** Milliseconds of the calendar: a provider may name the moment at which to come back. */
  now(): number
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  startTimer(ms: number, onEnd: () => void): Timer
}

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await wait(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
  startTimer(ms: number, onEnd: () => void): Timer {
    const timer = setTimeout(onEnd, ms)
    return { refresh: () => void timer.refresh(), cancel: () => clearTimeout(timer) }
  },
})
