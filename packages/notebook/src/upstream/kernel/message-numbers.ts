/** What may have been missed since the connection broke. */
export interface Gap {
  /** True only when it is certain that nothing is missing so far. */
  isClosed(): boolean
}

export interface MessageNumbers {
  note(messageId: string): void
  /** The connection broke: what comes from now on is compared with what came last. */
  open(): Gap
}

interface Watched {
  last: number
  hasSeen: boolean
  isLost: boolean
  readonly missing: Set<number>
}

const NUMBERED = /^(.+)_(\d{1,15})$/
const MAX_MISSING = 10_000
const MAX_GAPS = 8

/**
 * Kernels built on Jupyter's own library number all that they send (`<session>_<process>_<number>`), so that a gap shows. A number that
 * is missing may also have been a reply to another client, and other kernels do not number: then nothing is certain.
 */
export function createMessageNumbers(): MessageNumbers {
  let gaps: Watched[] = []
  let prefix = ''
  let last = -1

  return Object.freeze({
    note(messageId: string) {
      const [, sender, digits] = NUMBERED.exec(messageId) ?? []
      if (sender === undefined) return
      const number = Number(digits)
      if (sender !== prefix) {
        for (const gap of gaps) gap.isLost = true
        gaps = []
        prefix = sender
        last = number
        return
      }
      for (const gap of gaps) watch(gap, number)
      last = Math.max(last, number)
    },
    open() {
      const gap: Watched = { last, hasSeen: false, isLost: last < 0, missing: new Set() }
      gaps.push(gap)
      const forgotten = gaps.length > MAX_GAPS ? gaps.shift() : undefined
      if (forgotten) forgotten.isLost = true
      return Object.freeze({ isClosed: () => gap.hasSeen && !gap.isLost && gap.missing.size === 0 })
    },
  })
}

function watch(gap: Watched, number: number): void {
  gap.missing.delete(number)
  if (number <= gap.last) return
  if (number - gap.last + gap.missing.size > MAX_MISSING) gap.isLost = true
  for (let skipped = gap.last + 1; skipped < number && !gap.isLost; skipped += 1) gap.missing.add(skipped)
  gap.last = number
  gap.hasSeen = true
}
