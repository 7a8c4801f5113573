import { z } from 'zod'
import type { Cell } from '../../document/nbformat.ts'
import { firstLineOf } from './cell-text.ts'

/** A cell as programs read it in a reply. The id is null in notebooks older than nbformat 4.5. */
export const cellSummary = z.object({
  index: z.int(),
  id: z.string().nullable(),
  type: z.enum(['code', 'markdown', 'raw']),
  execution_count: z.int().nullable(),
})

export const briefCell = cellSummary.extend({
  first_line: z.string(),
  lines: z.int(),
})

export function toCellSummary(cell: Cell, index: number): z.output<typeof cellSummary> {
  return {
    index,
    id: cell.id ?? null,
    type: cell.cell_type,
    execution_count: cell.cell_type === 'code' ? cell.execution_count : null,
  }
}

export function toBriefCell(cell: Cell, index: number): z.output<typeof briefCell> {
  return {
    ...toCellSummary(cell, index),
    first_line: firstLineOf(cell.source),
    lines: cell.source.split('\n').length,
  }
}
