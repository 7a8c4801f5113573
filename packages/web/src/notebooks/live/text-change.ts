/** One place where a text became another. */
export interface TextChange {
  readonly at: number
  readonly removed: number
  readonly inserted: string
}

/** `caret`: where in `after` the writing ended. Among equal characters it decides which of them are new. */
export function findChange(before: string, after: string, caret: number = after.length): TextChange {
  const mostEnd = Math.min(before.length, after.length - Math.min(caret, after.length))
  let end = 0
  while (end < mostEnd && before.at(-1 - end) === after.at(-1 - end)) end += 1
  if (end > 0 && isLow(after.charCodeAt(after.length - end))) end -= 1
  const mostStart = Math.min(before.length, after.length) - end
  let at = 0
  while (at < mostStart && before[at] === after[at]) at += 1
  if (at > 0 && isHigh(after.charCodeAt(at - 1))) at -= 1
  // What is equal behind the caret as well was not written: somebody else's change has no caret of ours.
  const rest = Math.min(before.length, after.length) - at
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end += 1
  if (end > 0 && isLow(after.charCodeAt(after.length - end))) end -= 1
  return { at, removed: before.length - at - end, inserted: after.slice(at, after.length - end) }
}

/** Where a caret is that stood in the text before. */
export function moveCaret(caret: number, { at, removed, inserted }: TextChange): number {
  if (caret <= at) return caret
  return caret >= at + removed ? caret - removed + inserted.length : at + inserted.length
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
