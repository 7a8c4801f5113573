/** Wakes one who waits; rung while nobody waits, it wakes the next one. */
export function createAlarm() {
  let isRung = false
  let wake: (() => void) | undefined

  function ring(): void {
    isRung = true
    wake?.()
  }

  async function wait(ms: number): Promise<void> {
    if (!isRung && ms > 0) {
      const woken = Promise.withResolvers<void>()
      wake = woken.resolve
      const timer = setTimeout(woken.resolve, ms)
      await woken.promise
      clearTimeout(timer)
      wake = undefined
    }
    isRung = false
  }

  return Object.freeze({ ring, wait })
}
