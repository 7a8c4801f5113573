import { withSignal } from './with-signal.ts'

/** Takes turns: whoever comes first goes first, and one at a time. */
export interface Turns {
  /** Resolves with what ends the turn; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve()

  return Object.freeze({
    async take(signal: AbortSignal) {
      const before = last
      const { promise: over, resolve: end } = Promise.withResolvers<void>()
      last = before.then(() => over)
      try {
        await withSignal(before, signal)
        return end
      } catch (error) {
        end()
        throw error
      }
    },
  })
}
