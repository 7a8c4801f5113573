import { ToolError } from '../tool-error.ts'
import { createCell } from './create-cell.ts'
import { cellAt, findGap } from './find-cell.ts'
import type { Cell, CellType, Notebook } from './nbformat.ts'

export interface PlacedCell {
  readonly index: number
  readonly cell: Cell
}

/** At -1 behind the last cell. */
export function insertCell(draft: Notebook, gap: number, type: CellType, source: string): PlacedCell {
  const index = findGap(draft, gap)
  const cell = createCell(draft, type, source)
  draft.cells.splice(index, 0, cell)
  return { index, cell }
}

/** All or none. Returns them in the order asked for, with the indices that they had. */
export function deleteCells(draft: Notebook, indices: readonly number[]): readonly PlacedCell[] {
  const deleted = indices.map((index) => ({ index, cell: cellAt(draft, index) }))
  refuseDuplicates(indices)
  const gone = new Set(indices)
  draft.cells = draft.cells.filter((_, index) => !gone.has(index))
  return deleted
}

/** Afterwards the cell stands at `to`, with all that it held. */
export function moveCell(draft: Notebook, from: number, to: number): PlacedCell {
  const cell = cellAt(draft, from)
  cellAt(draft, to)
  draft.cells.splice(from, 1)
  draft.cells.splice(to, 0, cell)
  return { index: to, cell }
}

export function refuseDuplicates(indices: readonly number[]): void {
  const twice = indices.find((index, position) => indices.indexOf(index) !== position)
  if (twice === undefined) return
  throw new ToolError(
    'invalid_argument',
    `Cell ${twice} is named more than once: a duplicate index is refused. Name each cell once.`,
  )
}
