import { z } from 'zod'
import { cellAt } from '../document/find-cell.ts'
import type { Notebook } from '../document/nbformat.ts'
import { type SplitPoint, splitCell as splitWithin } from '../document/split-cell.ts'
import { ToolError } from '../tool-error.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { briefTable } from './shared/cell-text.ts'
import { editCell, withMergeNote } from './shared/edit-notebook.ts'
import { oneCell } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const splitCell = defineTool({
  name: 'split_cell',
  title: 'Split Cell',
  description:
    'Splits a cell in two, before a line or at a character. The first part keeps the id; outputs are removed, because neither part has run.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    ...oneCell,
    line: z.int().nullish().describe('The line, counted from 1, that the second cell begins with.'),
    offset: z.int().nullish().describe('Instead of line: how many characters the first cell keeps.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    first: cellSummary,
    second: cellSummary,
    removed_outputs: z.int(),
    cell_count: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, cells, merged } = await editCell(context, input, 'structure', (draft, at) =>
      splitWithin(draft, at, toSplitPoint(draft, at, input)),
    )
    const { index, cell: first, change } = result
    const { second, removedOutputs } = change
    const text = [
      `Cell ${index} split successfully into cells ${index} and ${index + 1} (${removedOutputs} output(s) removed).`,
      '',
      briefTable(cells, { start: index, end: index + 2 }),
    ].join('\n')
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        first: toCellSummary(first, index),
        second: toCellSummary(second, index + 1),
        removed_outputs: removedOutputs,
        cell_count: cells.length,
        merged,
      },
    }
  },
})

interface SplitWish {
  readonly line?: number | null | undefined
  readonly offset?: number | null | undefined
}

function toSplitPoint(draft: Notebook, index: number, { line, offset }: SplitWish): SplitPoint {
  if (typeof line === 'number' && typeof offset === 'number') {
    throw new ToolError('invalid_argument', 'Both line and offset are given. Give one of them.')
  }
  if (typeof offset === 'number') return { offset }
  if (typeof line !== 'number') {
    throw new ToolError('invalid_argument', 'Where is the cell to be split? Give line or offset.')
  }
  const count = cellAt(draft, index).source.split('\n').length
  if (line >= 2 && line <= count) return { afterLine: line - 1 }
  const advice = count < 2 ? 'Split it by offset instead.' : `line must be in [2, ${count}].`
  throw new ToolError(
    'invalid_argument',
    `Line ${line} cannot begin a second cell: cell ${index} has ${count} line(s). ${advice}`,
  )
}
