/** How many streams are open at once, in all and by each caller. */
export interface StreamSlots {
  /** Returns how to give the place back; undefined when there is none. */
  take(owner: string): (() => void) | undefined
}

export function createStreamSlots(max: { readonly total: number; readonly perCaller: number }): StreamSlots {
  const taken = new Map<string, number>()
  let total = 0

  return Object.freeze({
    take(owner: string) {
      const own = taken.get(owner) ?? 0
      if (total >= max.total || own >= max.perCaller) return undefined
      total += 1
      taken.set(owner, own + 1)
      let isTaken = true
      return function giveBack() {
        if (!isTaken) return
        isTaken = false
        total -= 1
        const rest = (taken.get(owner) ?? 1) - 1
        if (rest === 0) taken.delete(owner)
        else taken.set(owner, rest)
      }
    },
  })
}
