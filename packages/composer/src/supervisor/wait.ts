import type { Clock } from '@quire/mcp/connection/clock'

/** Follows the promise until the signal aborts; then rejects with its reason. Nothing is left listening. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(settled)
  })
}

/** The value in a box, or undefined when the time was up first. */
export async function inTime<Value>(
  promise: Promise<Value>,
  ms: number,
  clock: Clock,
): Promise<{ readonly value: Value } | undefined> {
  const settled = new AbortController()
  try {
    return await Promise.race([
      promise.then((value) => ({ value })),
      clock.sleep(ms, settled.signal).then(() => undefined),
    ])
  } finally {
    settled.abort()
  }
}

/** Runs one task after the other. A task's failure is its asker's; the next one begins all the same. */
export function createTurns(): <Value>(task: () => Value | Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  return function take(task) {
    const result = last.then(task)
    last = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }
}
