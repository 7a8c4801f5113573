import type { Cell } from './nbformat.ts'

/** For each cell of `before` its index in `after`, or -1. Cells that cannot be told apart are matched by their neighbours, or not at all. */
export function alignCells(before: readonly Cell[], after: readonly Cell[]): readonly number[] {
  const matches = matchUntouched(before, after)
  matchUnique(matches, (cell) => cell.id)
  // Where there are no ids, and where a server that mends a notebook gives out new ones at every reading.
  matchUnique(matches, (cell) => (cell.source.trim() === '' ? undefined : contentOf(cell)))
  matchNeighbours(matches)
  return matches.forward
}

interface Matches {
  readonly before: readonly Cell[]
  readonly after: readonly Cell[]
  /** From before to after. */
  readonly forward: number[]
  readonly backward: number[]
  /** All before this one are matched on either side, and so many at the end. */
  readonly start: number
  readonly end: number
}

/** Of two readings of one document most cells are the very same objects, from its beginning and from its end: what is left to match lies between. */
function matchUntouched(before: readonly Cell[], after: readonly Cell[]): Matches {
  const shorter = Math.min(before.length, after.length)
  const shift = after.length - before.length
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const place = (cells: readonly Cell[], shift: number) =>
    cells.map((_, index) => (index < start ? index : index >= cells.length - end ? index + shift : -1))
  return { before, after, forward: place(before, shift), backward: place(after, -shift), start, end }
}

type Key = (cell: Cell) => string | undefined

/** Matches cells whose key occurs once on either side among those that are still alone, wherever they stand. */
function matchUnique({ before, after, forward, backward, start, end }: Matches, key: Key): void {
  const left = indexUnique(before, forward, [start, before.length - end], key)
  const right = indexUnique(after, backward, [start, after.length - end], key)
  for (const [name, index] of left) {
    const other = right.get(name)
    if (index === AMBIGUOUS || other === undefined || other === AMBIGUOUS) continue
    forward[index] = other
    backward[other] = index
  }
}

const AMBIGUOUS = -1

function indexUnique(
  cells: readonly Cell[],
  matched: readonly number[],
  [from, to]: readonly [number, number],
  key: Key,
): Map<string, number> {
  const found = new Map<string, number>()
  for (let index = from; index < to; index += 1) {
    const cell = cells[index]
    const name = cell && matched[index] === -1 ? key(cell) : undefined
    if (name !== undefined) found.set(name, found.has(name) ? AMBIGUOUS : index)
  }
  return found
}

/** Cells of equal content next to matched ones, or next to the same end of the notebook, are the same. */
function matchNeighbours({ before, after, forward, backward, start, end }: Matches): void {
  function extend(left: number, right: number): void {
    const [a, b] = [before[left], after[right]]
    if (!a || !b || forward[left] !== -1 || backward[right] !== -1 || contentOf(a) !== contentOf(b)) return
    forward[left] = right
    backward[right] = left
  }
  for (let left = start; left < before.length - end; left += 1) {
    const previous = left === 0 ? -1 : (forward[left - 1] ?? -1)
    if (left === 0 || previous !== -1) extend(left, previous + 1)
  }
  for (let left = before.length - end - 1; left >= start; left -= 1) {
    const next = left === before.length - 1 ? after.length : (forward[left + 1] ?? -1)
    if (next !== -1) extend(left, next - 1)
  }
}

function contentOf(cell: Cell): string {
  return `${cell.cell_type}\n${cell.source}`
}
