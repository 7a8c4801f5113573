import { z } from 'zod'
import type { Cell } from '../document/nbformat.ts'
import { OutputView } from '../outputs/describe-output.ts'
import { ToolError } from '../tool-error.ts'
import { briefCell, cellSummary, toBriefCell } from './shared/cell-summary.ts'
import { briefTable, type CellRange } from './shared/cell-text.ts'
import { detailCells } from './shared/detail-cells.ts'
import { notebookName, orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const readNotebook = defineTool({
  name: 'read_notebook',
  title: 'Read Notebook',
  description:
    'Shows the cells of a notebook in use: brief (one line a cell, with indices and ids) for an overview, detailed for whole sources. Nothing is run. Outputs are left out unless include_outputs is set; read_cell shows those of one cell with images.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    notebook_name: notebookName,
    response_format: orDefault(z.enum(['brief', 'detailed']), 'brief').describe(
      'brief: first lines only. detailed: whole sources.',
    ),
    start_index: orDefault(z.int().min(0), 0).describe('The first cell to show, counted from 0.'),
    limit: orDefault(z.int().min(0), 20).describe('How many cells to show at most; 0 means all.'),
    include_outputs: orDefault(z.boolean(), false).describe('With detailed: the text of outputs too.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    path: z.string(),
    cell_count: z.int(),
    /** With brief their first lines, with detailed their sources. */
    cells: z.array(
      z.union([
        briefCell,
        cellSummary.extend({ source: z.string(), outputs: z.array(OutputView).optional() }),
      ]),
    ),
    /** Where to read on, when there are more cells. */
    next_start_index: z.int().nullable(),
  }),
  async run(input, { view, config, signal }) {
    const notebook = view.notebook(input.notebook_name)
    const snapshot = await notebook.document.read(signal)
    const { cells } = snapshot.notebook
    const range = toRange(input.start_index, input.limit, cells.length)
    const head = `Notebook ${notebook.name} has ${cells.length} cells.`
    const common = { notebook_name: notebook.name, path: notebook.path, cell_count: cells.length }
    if (input.response_format === 'brief' || cells.length === 0) {
      const shown = cells.slice(range.start, range.end)
      view.showList(notebook, snapshot, oneLinersIn(cells, range))
      return {
        content: `${head}\n\n${briefTable(cells, range)}${moreAfter(range, cells.length)}`,
        structured: {
          ...common,
          cells: shown.map((cell, offset) => toBriefCell(cell, range.start + offset)),
          next_start_index: range.end < cells.length ? range.end : null,
        },
      }
    }
    const detailed = await detailCells(cells, range, {
      notebookName: notebook.name,
      maxBytes: config.maxOutputBytes,
      includeOutputs: input.include_outputs,
    })
    view.showList(
      notebook,
      snapshot,
      detailed.cells.map(({ index }) => index),
    )
    return {
      content: `${head}\n\n${detailed.text}${detailed.next === null ? moreAfter(range, cells.length) : ''}`,
      structured: {
        ...common,
        cells: detailed.cells,
        next_start_index: detailed.next ?? (range.end < cells.length ? range.end : null),
      },
    }
  },
})

/** Says that there is more. */
function moreAfter({ end }: CellRange, total: number): string {
  return end < total ? `\n\n[${total - end} more cells follow: read on with start_index ${end}.]` : ''
}

/** A list shows first lines: only of these is that the whole. */
function oneLinersIn(cells: readonly Cell[], { start, end }: CellRange): number[] {
  return cells.flatMap(({ source }, index) =>
    index >= start && index < end && !source.includes('\n') ? [index] : [],
  )
}

function toRange(start: number, limit: number, total: number): CellRange {
  if (start > 0 && start >= total) {
    throw new ToolError(
      'invalid_argument',
      `start_index ${start} is out of range: the notebook has ${total} cells. Start at ${Math.max(0, total - 1)} or before.`,
    )
  }
  return { start, end: limit === 0 ? total : Math.min(total, start + limit) }
}
