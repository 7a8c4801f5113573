import { cellAt } from './find-cell.ts'
import type { Cell, CellType, Notebook } from './nbformat.ts'

export interface TypeChange {
  readonly from: CellType
  /** Only code cells have outputs. */
  readonly removedOutputs: number
  /** Code cells have no attachments. */
  readonly removedAttachments: number
}

/** Id, source and metadata stay. */
export function changeCellType(draft: Notebook, index: number, type: CellType): TypeChange {
  const cell = cellAt(draft, index)
  const from = cell.cell_type
  if (from === type) return { from, removedOutputs: 0, removedAttachments: 0 }
  draft.cells[index] = toType(cell, type)
  return {
    from,
    removedOutputs: cell.cell_type === 'code' ? cell.outputs.length : 0,
    removedAttachments:
      type === 'code' && cell.cell_type !== 'code' ? Object.keys(cell.attachments ?? {}).length : 0,
  }
}

function toType(cell: Cell, type: CellType): Cell {
  if (type !== 'code') {
    if (cell.cell_type !== 'code') return { ...cell, cell_type: type }
    const { outputs, execution_count, ...rest } = cell
    return { ...rest, cell_type: type }
  }
  if (cell.cell_type === 'code') return cell
  const { attachments, ...rest } = cell
  return { ...rest, cell_type: type, execution_count: null, outputs: [] }
}
