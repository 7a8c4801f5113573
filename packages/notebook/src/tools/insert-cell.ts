import { z } from 'zod'
import { insertCell as insertInto } from '../document/edit-cells.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { aroundInserted, briefTable } from './shared/cell-text.ts'
import { editNotebook, withMergeNote } from './shared/edit-notebook.ts'
import { newCell, notebookName, toGap } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const insertCell = defineTool({
  name: 'insert_cell',
  title: 'Insert Cell',
  description:
    'Inserts a cell into a notebook without running it. For code that should run at once take insert_execute_code_cell.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    ...newCell,
    cell_type: z.enum(['code', 'markdown', 'raw']).describe('Type of the new cell.'),
    cell_source: z.string().describe('Source of the new cell.'),
    notebook_name: notebookName,
  }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    cell_count: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, cells, merged } = await editNotebook(
      context,
      input.notebook_name,
      { ...toGap(input), touches: 'structure' },
      (draft, place) => insertInto(draft, place.cells[0] ?? place.gap, input.cell_type, input.cell_source),
    )
    const { index, cell } = result
    const text = [
      `Cell inserted successfully at index ${index} (${cell.cell_type})!`,
      '',
      `Notebook now has ${cells.length} cells, showing surrounding cells:`,
      briefTable(cells, aroundInserted(index, cells.length)),
    ].join('\n')
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        cell_count: cells.length,
        merged,
      },
    }
  },
})
