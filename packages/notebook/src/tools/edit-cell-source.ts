import { z } from 'zod'
import { editSource } from '../document/edit-source.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { diffBlock } from './shared/diff-block.ts'
import { editCell, withMergeNote } from './shared/edit-notebook.ts'
import { oneCell, orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const editCellSource = defineTool({
  name: 'edit_cell_source',
  title: 'Edit Cell Source',
  description:
    'Replaces a literal text in the source of a cell and shows the difference. The text must be there exactly once unless replace_all is set. Outputs stay, and nothing is run.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    ...oneCell,
    old_string: z.string().describe('The text to replace, exactly as it stands there. It may span lines.'),
    new_string: z.string().describe('The text to put in its place.'),
    replace_all: orDefault(z.boolean(), false).describe('Replace every occurrence.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    replaced: z.int(),
    changed: z.boolean(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { old_string: old, new_string: replacement, replace_all: all } = input
    const { notebook, result, merged } = await editCell(context, input, 'source', (draft, at) =>
      editSource(draft, at, { old, replacement, all }),
    )
    const { index, cell, change } = result
    const difference = diffBlock(change, context.config.maxOutputBytes)
    return {
      content: withMergeNote(`Cell ${index} edited successfully!\n\n${difference}`, merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        replaced: change.replaced,
        changed: change.before !== change.after,
        merged,
      },
    }
  },
})
