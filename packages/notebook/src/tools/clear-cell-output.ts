import { z } from 'zod'
import { clearOutputs } from '../document/edit-outputs.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { editCell, withMergeNote } from './shared/edit-notebook.ts'
import { oneCell } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const clearCellOutput = defineTool({
  name: 'clear_cell_output',
  title: 'Clear Cell Output',
  description:
    'Removes the outputs and the execution count of a code cell. Source and variables of the kernel stay.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject(oneCell),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    removed_outputs: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, merged } = await editCell(context, input, 'outputs', clearOutputs)
    const { index, cell, change: removed } = result
    const text =
      removed > 0
        ? `Cell ${index} output cleared successfully (${removed} output(s) removed).`
        : `Cell ${index} had no output to clear.`
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        removed_outputs: removed,
        merged,
      },
    }
  },
})
