import { z } from 'zod'
import { overwriteSource } from '../document/edit-source.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { diffBlock } from './shared/diff-block.ts'
import { editCell, withMergeNote } from './shared/edit-notebook.ts'
import { oneCell } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const overwriteCellSource = defineTool({
  name: 'overwrite_cell_source',
  title: 'Overwrite Cell Source',
  description:
    'Replaces the whole source of a cell and shows the difference. Outputs, execution count and metadata stay, and nothing is run. For a small change take edit_cell_source.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ ...oneCell, cell_source: z.string().describe('The new source, complete.') }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    changed: z.boolean(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, merged } = await editCell(context, input, 'source', (draft, at) =>
      overwriteSource(draft, at, input.cell_source),
    )
    const { index, cell, change } = result
    const difference = diffBlock(change, context.config.maxOutputBytes)
    return {
      content: withMergeNote(`Cell ${index} overwritten successfully!\n\n${difference}`, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        changed: change.before !== change.after,
        merged,
      },
    }
  },
})
