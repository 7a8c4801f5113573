import { z } from 'zod'
import { deleteCells, type PlacedCell } from '../document/edit-cells.ts'
import { cutText } from '../outputs/cut-text.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { editNotebook, withMergeNote } from './shared/edit-notebook.ts'
import { cellIds, cellIndices, notebookName, orDefault, toCellTargets } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const deleteCell = defineTool({
  name: 'delete_cell',
  title: 'Delete Cell',
  description:
    'Deletes cells of a notebook, all of those named or none of them. The reply holds the deleted sources, so that they can be put back.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    cell_indices: cellIndices,
    cell_ids: cellIds,
    include_source: orDefault(z.boolean(), true).describe('Show the sources of the deleted cells.'),
    notebook_name: notebookName,
  }),
  output: z.object({
    notebook_name: z.string(),
    /** With the indices that they had. */
    deleted: z.array(cellSummary),
    cell_count: z.int(),
    merged: z.boolean(),
  }),
  async run(input, context) {
    const { notebook, result, cells, merged } = await editNotebook(
      context,
      input.notebook_name,
      { cells: toCellTargets(input.cell_indices, input.cell_ids), touches: 'structure' },
      (draft, place) => deleteCells(draft, place.cells),
    )
    const full = result.map((placed) => describe(placed, input.include_source)).join('\n')
    const { text } = cutText(
      full,
      context.config.maxOutputBytes,
      (cut) => `[${cut} bytes of deleted sources are not shown]`,
    )
    return {
      content: withMergeNote(text, merged),
      structured: {
        notebook_name: notebook.name,
        deleted: result.map(({ cell, index }) => toCellSummary(cell, index)),
        cell_count: cells.length,
        merged,
      },
    }
  },
})

function describe({ cell, index }: PlacedCell, includeSource: boolean): string {
  const line = `Cell ${index} (${cell.cell_type}) deleted successfully.`
  return includeSource ? `${line}\ndeleted cell source:\n${cell.source}\n---` : line
}
