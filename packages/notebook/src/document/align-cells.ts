import type { Cell } from './nbformat.ts'

/** For each cell of `before` its index in `after`, or -1. Cells that cannot be told apart are matched by their neighbours, or not at all. */
export function alignCells(before: readonly Cell[], after: readonly Cell[]): readonly number[] {
  const matches = { before, after, forward: before.map(() => -1), backward: after.map(() => -1) }
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
}

type Key = (cell: Cell) => string | undefined

/** Matches cells whose key occurs once on either side among those that are still alone, wherever they stand. */
function matchUnique({ before, after, forward, backward }: Matches, key: Key): void {
  const left = indexUnique(before, forward, key)
  const right = indexUnique(after, backward, key)
  for (const [name, index] of left) {
    const other = right.get(name)
    if (index === AMBIGUOUS || other === undefined || other === AMBIGUOUS) continue
    forward[index] = other
    backward[other] = index
  }
}

const AMBIGUOUS = -1

function indexUnique(cells: readonly Cell[], matched: readonly number[], key: Key): Map<string, number> {
  const found = new Map<string, number>()
  cells.forEach((cell, index) => {
    const name = matched[index] === -1 ? key(cell) : undefined
    if (name !== undefined) found.set(name, found.has(name) ? AMBIGUOUS : index)
  })
  return found
}

/** Cells of equal content next to matched ones, or next to the same end of the notebook, are the same. */
function matchNeighbours({ before, after, forward, backward }: Matches): void {
  function extend(left: number, right: number): void {
    const [a, b] = [before[left], after[right]]
    if (!a || !b || forward[left] !== -1 || backward[right] !== -1 || contentOf(a) !== contentOf(b)) return
    forward[left] = right
    backward[right] = left
  }
  for (let left = 0; left < before.length; left += 1) {
    const previous = left === 0 ? -1 : (forward[left - 1] ?? -1)
    if (left === 0 || previous !== -1) extend(left, previous + 1)
  }
  for (let left = before.length - 1; left >= 0; left -= 1) {
    const next = left === before.length - 1 ? after.length : (forward[left + 1] ?? -1)
    if (next !== -1) extend(left, next - 1)
  }
}

function contentOf(cell: Cell): string {
  return `${cell.cell_type}\n${cell.source}`
}
