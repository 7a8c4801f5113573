import { StoreUnavailable } from './errors.ts'

/** One at a time, first come first served, and nobody waits for ever. */
export function createConnectionLock(timeoutMs: number) {
  // No Set: at this rate its old tables outlive the garbage collector's cheap rounds.
  const waiting: (() => void)[] = []
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
        waiting.splice(waiting.indexOf(enter), 1)
        reject(new StoreUnavailable(`its only connection was busy for ${timeoutMs} ms`))
      }, timeoutMs)
      waiting.push(enter)
    })
  }

  /** To whoever is first in line; false where nobody is, and it is kept. */
  function handOn(): boolean {
    const next = waiting.shift()
    next?.()
    return next !== undefined
  }

  function release(): void {
    isHeld = handOn()
  }

  return Object.freeze({ acquire, handOn, release, isWanted: () => waiting.length > 0 })
}
