import { ToolError } from '../tool-error.ts'
import type { CellTarget } from './cell-target.ts'
import { hasCellIds } from './create-cell.ts'
import { quote } from './json.ts'
import type { Cell, CodeCell, Notebook } from './nbformat.ts'

/** The index of a cell, by index or by id. */
export function findCell(notebook: Notebook, target: CellTarget): number {
  if ('id' in target) return findId(notebook, target.id)
  cellAt(notebook, target.index)
  return target.index
}

export function cellAt({ cells }: Notebook, index: number): Cell {
  const cell = cells[index]
  if (cell) return cell
  throw new ToolError('not_found', `Cell index ${index} is out of range: ${validRange(cells.length)}`)
}

export function codeCellAt(notebook: Notebook, index: number): CodeCell {
  const cell = cellAt(notebook, index)
  if (cell.cell_type === 'code') return cell
  throw new ToolError(
    'invalid_argument',
    `Cell ${index} is not a code cell but a ${cell.cell_type} cell, which has no outputs. Choose a code cell, or change its type first.`,
  )
}

/** Where new cells go: 0 to the number of cells, or -1 for the end. */
export function findGap({ cells }: Notebook, gap: number): number {
  if (gap === -1) return cells.length
  if (Number.isInteger(gap) && gap >= 0 && gap <= cells.length) return gap
  throw new ToolError(
    'invalid_argument',
    `Index ${gap} is out of range: a cell can be inserted at [-1, ${cells.length}], where -1 means the end.`,
  )
}

function findId(notebook: Notebook, id: string): number {
  if (!hasCellIds(notebook)) {
    throw new ToolError(
      'invalid_argument',
      `This notebook is in the format 4.${notebook.nbformat_minor}, which has no cell ids (they came with 4.5). Use the index of the cell instead.`,
    )
  }
  const found = notebook.cells.flatMap((cell, index) => (cell.id === id ? [index] : []))
  const [first, ...others] = found
  if (first === undefined) {
    throw new ToolError(
      'not_found',
      `No cell has the id ${quote(id)}. Read the notebook again to see its ids.`,
    )
  }
  if (others.length === 0) return first
  throw new ToolError(
    'invalid_argument',
    `${found.length} cells have the id ${quote(id)}, at the indices ${found.slice(0, 10).join(', ')}. Use the index instead.`,
  )
}

function validRange(count: number): string {
  if (count === 0) return 'the notebook has no cells. Insert one first.'
  return `the notebook has ${count} cell${count === 1 ? '' : 's'}, so it must be in [0, ${count - 1}].`
}
