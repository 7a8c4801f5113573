import { setInterval } from 'node:timers/promises'

/** The present numbers at once, and then every second, until the signal. */
export async function* streamMetrics<Message>(
  snapshot: () => Message,
  signal: AbortSignal,
  intervalMs = 1_000,
): AsyncIterable<Message> {
  if (signal.aborted) return
  yield snapshot()
  try {
    for await (const _ of setInterval(intervalMs, undefined, { signal, ref: false })) yield snapshot()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
