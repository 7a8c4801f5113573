import type * as Y from 'yjs'

/** What makes one text of another: `insert` in place of what is from `start` to `end`. */
interface Difference {
  readonly start: number
  readonly end: number
  readonly insert: string
}

/**
 * Brings what changed between `old` and `next` into a text, touching nothing else, so that everybody's cursor stays where it was. Where the text was changed
 * at the very same place, `next` wins.
 */
export function mergeText(text: Y.Text, old: string, next: string): void {
  const now = text.toString()
  const { start, end, insert } =
    carryOver(difference(old, next), difference(old, now)) ?? difference(now, next)
  if (end > start) text.delete(start, end - start)
  if (insert !== '') text.insert(start, insert)
}

/** A difference as it is in a text that was changed elsewhere meanwhile. Undefined where both changed the same. */
function carryOver(theirs: Difference, ours: Difference): Difference | undefined {
  const shift = ours.insert.length - (ours.end - ours.start)
  if (shift === 0 && ours.end === ours.start) return theirs
  if (theirs.end < ours.start) return theirs
  if (theirs.start <= ours.end) return undefined
  return { ...theirs, start: theirs.start + shift, end: theirs.end + shift }
}

/** Between the common beginning and the common end. Neither cuts a pair of surrogates. */
function difference(from: string, to: string): Difference {
  const most = Math.min(from.length, to.length)
  let start = 0
  while (start < most && from[start] === to[start]) start += 1
  if (isSurrogate(from, start - 1, 0xd800)) start -= 1
  let tail = 0
  while (tail < most - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1
  if (tail > 0 && isSurrogate(from, from.length - tail, 0xdc00)) tail -= 1
  return { start, end: from.length - tail, insert: to.slice(start, to.length - tail) }
}

/** Of the half whose range begins at `first`. */
function isSurrogate(text: string, index: number, first: number): boolean {
  const code = text.charCodeAt(index)
  return code >= first && code < first + 0x400
}
