import { StoreUnavailable } from './errors.ts'

/** One at a time, first come first served, and nobody waits for ever. */
export function createConnectionLock(timeoutMs: number) {
  const waiting = new Set<() => void>()
  let isHeld = false

  function acquire(): Promise<void> {
    if (!isHeld) {
      isHeld = true
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(enter)
        reject(new StoreUnavailable(`its only connection was busy for ${timeoutMs} ms`))
      }, timeoutMs)
      waiting.add(enter)
    })
  }

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      isHeld = false
      return
    }
    waiting.delete(next)
    next()
  }

  return Object.freeze({ acquire, release })
}
