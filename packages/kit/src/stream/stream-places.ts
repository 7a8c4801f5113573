import { CallerError } from '../errors.ts'

export type StreamPlacesOptions = Readonly<{ most: number; mostPerCaller: number }>

export type StreamPlaces = Readonly<{
  /** Throws a `CallerError` when there is none left. The place is given back by what this returns, which may be called twice. */
  take(caller: string): () => void
  taken(): number
}>

/** How many streams may be open, of all callers and of each. */
export function createStreamPlaces({ most, mostPerCaller }: StreamPlacesOptions): StreamPlaces {
  const byCaller = new Map<string, number>()
  let taken = 0

  function take(caller: string): () => void {
    const own = byCaller.get(caller) ?? 0
    if (own >= mostPerCaller)
      throw new CallerError(
        'rate_limit',
        `You have ${own} streams open already, and may have no more. Close some of them.`,
      )
    if (taken >= most)
      throw new CallerError(
        'unavailable',
        `There are ${taken} streams open already, and no more are taken. Try again later.`,
      )
    byCaller.set(caller, own + 1)
    taken += 1
    let isTaken = true
    return function giveBack() {
      if (!isTaken) return
      isTaken = false
      taken -= 1
      const left = (byCaller.get(caller) ?? 1) - 1
      if (left > 0) byCaller.set(caller, left)
      else byCaller.delete(caller)
    }
  }

  return Object.freeze({ take, taken: () => taken })
}
