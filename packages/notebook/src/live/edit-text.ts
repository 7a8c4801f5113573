import { diffChars } from 'diff/lib/diff/character.js'
import { diffLines } from 'diff/lib/diff/line.js'
import type { Text as SharedText } from 'yjs'

/** Past this length characters are not compared one by one. */
const MAX_CHARACTERS = 2_000
const MAX_EDITS = 500

interface Piece {
  readonly value: string
  readonly added?: boolean
  readonly removed?: boolean
}

/** Makes `text`, which reads `before`, read `after` by as few edits as are worth finding: cursors in what stays are not moved. */
export function editText(text: SharedText, before: string, after: string): void {
  const start = commonStart(before, after)
  const end = commonEnd(before.slice(start), after.slice(start))
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  let at = start
  for (const { value, added, removed } of compare(old, next)) {
    if (removed) text.delete(at, value.length)
    else {
      if (added) text.insert(at, value)
      at += value.length
    }
  }
}

function compare(old: string, next: string): readonly Piece[] {
  const replaced = [
    { value: old, removed: true },
    { value: next, added: true },
  ].filter(({ value }) => value !== '')
  if (replaced.length < 2) return replaced
  const options = { maxEditLength: MAX_EDITS }
  const isShort = old.length + next.length <= MAX_CHARACTERS
  return (isShort ? diffChars(old, next, options) : diffLines(old, next, options)) ?? replaced
}

/** Never inside a pair of surrogates: half of one would be lost. */
function commonStart(a: string, b: string): number {
  const longest = Math.min(a.length, b.length)
  let length = 0
  while (length < longest && a.charCodeAt(length) === b.charCodeAt(length)) length += 1
  return isHigh(a.charCodeAt(length - 1)) ? length - 1 : length
}

function commonEnd(a: string, b: string): number {
  const longest = Math.min(a.length, b.length)
  let length = 0
  while (length < longest && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length += 1
  return isLow(a.charCodeAt(a.length - length)) ? length - 1 : length
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
