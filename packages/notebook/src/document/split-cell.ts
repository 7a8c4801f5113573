import { ToolError } from '../tool-error.ts'
import { createCell } from './create-cell.ts'
import { cellAt } from './find-cell.ts'
import type { Cell, Notebook } from './nbformat.ts'

/** Behind so many lines, or before the character at that offset. */
export type SplitPoint = { readonly afterLine: number } | { readonly offset: number }

export interface Split {
  readonly first: Cell
  readonly second: Cell
  readonly removedOutputs: number
}

/**
 * The first part keeps id and metadata. Neither part has run, so the outputs go; either part may show an attachment, so both have them.
 * A line break at the cut belongs to neither.
 */
export function splitCell(draft: Notebook, index: number, at: SplitPoint): Split {
  const first = cellAt(draft, index)
  const [before, after] = cut(first.source, index, at)
  const second = createCell(draft, first.cell_type, after)
  first.source = before
  const removedOutputs = dropOutputs(first)
  if (first.cell_type !== 'code' && second.cell_type !== 'code' && first.attachments) {
    second.attachments = structuredClone(first.attachments)
  }
  draft.cells.splice(index + 1, 0, second)
  return { first, second, removedOutputs }
}

export function dropOutputs(cell: Cell): number {
  if (cell.cell_type !== 'code') return 0
  const removed = cell.outputs.length
  cell.outputs = []
  cell.execution_count = null
  return removed
}

function cut(source: string, index: number, at: SplitPoint): [string, string] {
  const lines = source.split('\n')
  if ('afterLine' in at) {
    refuseOutside(
      at.afterLine,
      lines.length - 1,
      `Line ${at.afterLine}`,
      `cell ${index} has ${lines.length} line(s)`,
    )
    return [lines.slice(0, at.afterLine).join('\n'), lines.slice(at.afterLine).join('\n')]
  }
  const { offset } = at
  refuseOutside(
    offset,
    source.length - 1,
    `Offset ${offset}`,
    `cell ${index} has ${source.length} character(s)`,
  )
  const before = source.slice(0, offset)
  const after = source.slice(offset)
  if (!before.isWellFormed() && source.isWellFormed()) {
    throw new ToolError('invalid_argument', `Offset ${offset} is inside a character. Choose the next one.`)
  }
  if (before.endsWith('\n')) return [before.slice(0, -1), after]
  return [before, after.replace(/^\n/, '')]
}

function refuseOutside(value: number, last: number, what: string, size: string): void {
  if (Number.isInteger(value) && value >= 1 && value <= last) return
  const advice = last < 1 ? 'so it cannot be split there.' : `so it can be split at [1, ${last}].`
  throw new ToolError('invalid_argument', `${what} is out of range: ${size}, ${advice}`)
}
