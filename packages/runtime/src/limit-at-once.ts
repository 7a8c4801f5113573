import { CallerError } from '@quire/kit/errors'

export interface LimitAtOnceOptions {
  /** Of everybody in this process, and of one owner. */
  readonly most: number
  readonly mostPerOwner: number
  /** What there may be so many of, in a sentence: "turns". */
  readonly what: string
}

const RETRY = { headers: { 'Retry-After': '5' } }

/** How many of what holds memory and connections may be under way at once. */
export function createLimitAtOnce({ most, mostPerOwner, what }: LimitAtOnceOptions) {
  const byOwner = new Map<string, number>()
  let taken = 0

  return Object.freeze({
    /** Throws a `CallerError` (429) where there is no room. The room is given back by what this returns, which may be called twice. */
    take(owner: string): () => void {
      const own = byOwner.get(owner) ?? 0
      if (own >= mostPerOwner)
        throw new CallerError(
          'rate_limit',
          `${own} ${what} of yours are under way, and no more may be at once: wait until one of them is over, or end one.`,
          RETRY,
        )
      if (taken >= most)
        throw new CallerError(
          'rate_limit',
          `${taken} ${what} are under way here, and no more are taken at the moment. Try again in a few seconds.`,
          RETRY,
        )
      byOwner.set(owner, own + 1)
      taken += 1
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        taken -= 1
        const left = (byOwner.get(owner) ?? 1) - 1
        if (left > 0) byOwner.set(owner, left)
        else byOwner.delete(owner)
      }
    },
  })
}
