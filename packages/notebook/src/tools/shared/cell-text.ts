import type { Cell } from '../../document/nbformat.ts'
import { toTsv } from './tsv.ts'

/** Half-open: `end` is the first cell that is not shown. */
export interface CellRange {
  readonly start: number
  readonly end: number
}

const LONGEST_FIRST_LINE = 200

export function headerLine(cell: Cell, index: number): string {
  return `=====Cell ${index} | type: ${cell.cell_type} | execution count: ${countOf(cell)}=====`
}

/** One row a cell. The ids stand last, in notebooks that have them. */
export function briefTable(cells: readonly Cell[], { start, end }: CellRange): string {
  if (cells.length === 0) return 'Notebook is empty'
  const shown = cells.slice(start, end)
  if (shown.length === 0) return 'No cells in the specified range'
  const hasIds = shown.some(({ id }) => id !== undefined)
  const header = ['Index', 'Type', 'Count', 'First Line', ...(hasIds ? ['Id'] : [])]
  const rows = shown.map((cell, offset) => [
    String(start + offset),
    cell.cell_type,
    countOf(cell),
    firstLine(cell.source),
    ...(hasIds ? [cell.id ?? '-'] : []),
  ])
  return toTsv(header, rows)
}

/** At most ten cells around one that was inserted. */
export function aroundInserted(index: number, total: number): CellRange {
  const start = total - index - 1 < 5 ? Math.max(0, total - 10) : Math.max(0, index - 5)
  return { start, end: Math.min(total, start + 10) }
}

/** At most seven cells around one that was moved. */
export function aroundMoved(index: number, total: number): CellRange {
  const start = Math.max(0, index - 3)
  return { start, end: Math.min(total, start + 7) }
}

function countOf(cell: Cell): string {
  return cell.cell_type === 'code' && cell.execution_count ? String(cell.execution_count) : 'N/A'
}

/** The first line, as far as a table has room for it. */
export function firstLineOf(source: string): string {
  const [line = ''] = source.split('\n', 1)
  return line.length > LONGEST_FIRST_LINE ? `${line.slice(0, LONGEST_FIRST_LINE).toWellFormed()}…` : line
}

function firstLine(source: string): string {
  const hidden = source.split('\n').length - 1
  return hidden > 0 ? `${firstLineOf(source)}...(${hidden} lines hidden)` : firstLineOf(source)
}
