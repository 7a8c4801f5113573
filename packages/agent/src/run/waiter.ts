/** Waits for one promise at a time, and no longer than until a signal aborts. What comes of an abandoned promise is ignored. */
export interface Waiter {
  wait<T>(promise: PromiseLike<T>): Promise<T>
  close(): void
}

/** `Promise.race` would leave something behind at the signal's promise for each fragment of an answer. */
export function createWaiter(signal: AbortSignal): Waiter {
  let abandon: ((reason: unknown) => void) | undefined
  const onAbort = (): void => abandon?.(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })

  return Object.freeze({
    wait<T>(promise: PromiseLike<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        promise.then(resolve, reject)
        if (signal.aborted) reject(signal.reason)
        else abandon = reject
      })
    },
    close(): void {
      signal.removeEventListener('abort', onAbort)
    },
  })
}
