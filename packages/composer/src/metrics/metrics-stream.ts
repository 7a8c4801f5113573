import { setTimeout as wait } from 'node:timers/promises'

/**
 * The present numbers at once, and then every second, until the signal. None are kept for a reader that is late:
 * it is told how many it has missed, and goes on with the present ones.
 */
export async function* streamMetrics<Message>(
  snapshot: () => Message,
  signal: AbortSignal,
  intervalMs = 1_000,
): AsyncIterable<Message | { readonly type: 'dropped'; readonly count: number }> {
  let due = performance.now()
  while (!signal.aborted) {
    yield snapshot()
    // A timer may be early by a fraction of a millisecond.
    const missed = Math.max(0, Math.floor((performance.now() - due) / intervalMs))
    if (missed > 0) yield { type: 'dropped', count: missed }
    due += (missed + 1) * intervalMs
    try {
      await wait(Math.max(0, due - performance.now()), undefined, { signal, ref: false })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
