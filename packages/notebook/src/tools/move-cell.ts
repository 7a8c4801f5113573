import { z } from 'zod'
import type { Place } from '../document/document.ts'
import { moveCell as moveWithin } from '../document/edit-cells.ts'
import type { Notebook } from '../document/nbformat.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { aroundMoved, briefTable } from './shared/cell-text.ts'
import { editNotebook, withMergeNote } from './shared/edit-notebook.ts'
import { cellId, cellIndex, notebookName, toCellTarget } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const moveCell = defineTool({
  name: 'move_cell',
  title: 'Move Cell',
  description:
    'Moves a cell to another place in the same notebook, with its id, outputs and metadata. Afterwards it stands where the target cell stood.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    source_index: cellIndex.describe(
      'Index of the cell to move, counted from 0. Give this or source_cell_id.',
    ),
    target_index: cellIndex.describe('The index that the cell will have. Give this or target_cell_id.'),
    source_cell_id: cellId.describe('Id of the cell to move. It decides when source_index is given too.'),
    target_cell_id: cellId.describe(
      'Id of the cell whose place it takes. It decides when target_index is given too.',
    ),
    notebook_name: notebookName,
  }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    from_index: z.int(),
    cell_count: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const source = toCellTarget({ cell_index: input.source_index, cell_id: input.source_cell_id }, 'source_')
    const target = toCellTarget({ cell_index: input.target_index, cell_id: input.target_cell_id }, 'target_')
    const { notebook, result, cells, merged } = await editNotebook(
      context,
      input.notebook_name,
      { cells: [source, target], touches: 'structure' },
      move,
    )
    const { from, index, cell } = result
    const text = [
      `Cell moved successfully from index ${from} to ${index} (${cell.cell_type}).`,
      '',
      `Notebook has ${cells.length} cells, showing surrounding cells:`,
      briefTable(cells, aroundMoved(index, cells.length)),
    ].join('\n')
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        from_index: from,
        cell_count: cells.length,
        merged,
      },
    }
  },
})

function move(draft: Notebook, { cells: [from = -1, to = -1] }: Place) {
  return { from, ...moveWithin(draft, from, to) }
}
