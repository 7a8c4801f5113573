import { z } from 'zod'
import { mergeCells as mergeWithin } from '../document/merge-cells.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { aroundMoved, briefTable } from './shared/cell-text.ts'
import { editNotebook, withMergeNote } from './shared/edit-notebook.ts'
import { cellIds, cellIndices, notebookName, toCellTargets } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const mergeCells = defineTool({
  name: 'merge_cells',
  title: 'Merge Cells',
  description:
    'Merges neighbouring cells of one type into the first of them, in the order of the notebook. Outputs are removed, because the merged cell has not run.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ cell_indices: cellIndices, cell_ids: cellIds, notebook_name: notebookName }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    merged_cells: z.int(),
    removed_outputs: z.int(),
    cell_count: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const targets = toCellTargets(input.cell_indices, input.cell_ids)
    const { notebook, result, cells, merged } = await editNotebook(
      context,
      input.notebook_name,
      { cells: targets, touches: 'structure' },
      (draft, place) => mergeWithin(draft, place.cells),
    )
    const { index, cell, removedOutputs } = result
    const text = [
      `${targets.length} cells merged successfully into cell ${index} (${cell.cell_type}; ${removedOutputs} output(s) removed).`,
      '',
      `Notebook now has ${cells.length} cells, showing surrounding cells:`,
      briefTable(cells, aroundMoved(index, cells.length)),
    ].join('\n')
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        merged_cells: targets.length,
        removed_outputs: removedOutputs,
        cell_count: cells.length,
        merged,
      },
    }
  },
})
