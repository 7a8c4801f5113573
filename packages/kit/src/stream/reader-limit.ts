import { CallerError } from '../errors.ts'

/** How many streams one caller reads at a time. */
export type ReaderLimit = Readonly<{
  /** Throws 429 where there is no room for one more. To be asked before anything is begun that a stream would tell of. */
  assertRoom(subject: string): void
  /** Of a stream that begins: what is to be called at its end, or undefined where there is no room. */
  enter(subject: string): (() => void) | undefined
}>

const RETRY_SECONDS = 10

export function createReaderLimit(most: number): ReaderLimit {
  const open = new Map<string, number>()

  function leave(subject: string): void {
    const left = (open.get(subject) ?? 1) - 1
    if (left > 0) open.set(subject, left)
    else open.delete(subject)
  }

  return Object.freeze({
    assertRoom(subject: string) {
      if ((open.get(subject) ?? 0) >= most) throw tooMany(most)
    },
    enter(subject: string) {
      const count = open.get(subject) ?? 0
      if (count >= most) return undefined
      open.set(subject, count + 1)
      let isIn = true
      return () => {
        if (isIn) leave(subject)
        isIn = false
      }
    },
  })
}

function tooMany(most: number): CallerError {
  return new CallerError(
    'rate_limit',
    `You read ${most} streams already, which is as many as one caller may: close some, or wait for their end.`,
    { headers: { 'Retry-After': String(RETRY_SECONDS) } },
  )
}
