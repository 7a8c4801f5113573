import { z } from 'zod'
import { changeCellType as changeType, type TypeChange } from '../document/change-cell-type.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { editCell, withMergeNote } from './shared/edit-notebook.ts'
import { oneCell } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const changeCellType = defineTool({
  name: 'change_cell_type',
  title: 'Change Cell Type',
  description:
    'Makes a cell a code, markdown or raw cell. Id, source and metadata stay; a code cell that becomes text loses its outputs, and text that becomes code its attachments.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    ...oneCell,
    cell_type: z.enum(['code', 'markdown', 'raw']).describe('The type that the cell will have.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    from_type: z.string(),
    removed_outputs: z.int(),
    removed_attachments: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, merged } = await editCell(context, input, 'structure', (draft, at) =>
      changeType(draft, at, input.cell_type),
    )
    const { index, cell, change } = result
    return {
      content: withMergeNote(describe(index, change, input.cell_type), merged),
      structured: {
        notebook_name: notebook.name,
        cell: toCellSummary(cell, index),
        from_type: change.from,
        removed_outputs: change.removedOutputs,
        removed_attachments: change.removedAttachments,
        merged,
      },
    }
  },
})

function describe(
  index: number,
  { from, removedOutputs, removedAttachments }: TypeChange,
  to: string,
): string {
  if (from === to) return `Cell ${index} is a ${to} cell already: no changes detected.`
  const lost = [
    ...(removedOutputs > 0 ? [`${removedOutputs} output(s) removed`] : []),
    ...(removedAttachments > 0 ? [`${removedAttachments} attachment(s) removed`] : []),
  ]
  const note = lost.length > 0 ? ` (${lost.join(', ')})` : ''
  return `Cell ${index} changed successfully from ${from} to ${to}${note}.`
}
