import { ToolError } from '../tool-error.ts'
import { cellFault } from './cell-fault.ts'
import type { Cell, Notebook, Output, TextCell } from './nbformat.ts'

/**
 * The draft as it may be written: without what programs left in it that nbformat forbids. Throws when an edit of `before` has made a cell
 * invalid; faults that were there already do not stand in the way.
 */
export function toContent(draft: Notebook, before: Notebook): Notebook {
  let old: ReadonlySet<Cell> | undefined
  draft.cells.forEach((cell, index) => {
    if (cell === before.cells[index]) return
    old ??= new Set(before.cells)
    if (old.has(cell)) return
    const fault = cellFault(cell, draft, before)
    if (fault === undefined) return
    throw new ToolError(
      'invalid_argument',
      `Cell ${index} would make the notebook invalid: ${fault}. Nothing was written.`,
    )
  })
  return { ...draft, cells: draft.cells.map(withoutStrayKeys) }
}

function withoutStrayKeys(cell: Cell): Cell {
  if (cell.cell_type === 'code') {
    if (!cell.outputs.some((output) => 'transient' in output)) return cell
    return { ...cell, outputs: cell.outputs.map(withoutTransient) }
  }
  if (!('outputs' in cell || 'execution_count' in cell)) return cell
  const { outputs, execution_count, ...rest }: TextCell & { outputs?: unknown; execution_count?: unknown } =
    cell
  return rest
}

function withoutTransient(output: Output): Output {
  const { transient, ...rest }: Output & { transient?: unknown } = output
  return rest
}
