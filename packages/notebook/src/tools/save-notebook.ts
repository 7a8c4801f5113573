import { z } from 'zod'
import { notebookName, orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const saveNotebook = defineTool({
  name: 'save_notebook',
  title: 'Save Notebook',
  description:
    'Makes sure that all edits of a notebook are in its file, and with checkpoint set has the server keep a copy of the file to go back to, in place of the last one.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    notebook_name: notebookName,
    checkpoint: orDefault(z.boolean(), false).describe('Make a checkpoint too.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    path: z.string(),
    cell_count: z.int(),
    checkpoint: z.boolean(),
  }),
  async run(input, { view, servers, signal }) {
    const notebook = view.notebook(input.notebook_name)
    const { name, path, document } = notebook
    const snapshot = await document.save(signal)
    if (input.checkpoint) await servers.contents.checkpoint(path, { signal })
    const lines = [`Notebook '${name}' saved successfully to '${path}'.`]
    if (document.backend === 'file') {
      lines.push('Every edit is written to the file at once, so nothing was left to write.')
    }
    if (input.checkpoint) lines.push('A checkpoint was made.')
    return {
      content: lines.join('\n'),
      structured: {
        notebook_name: name,
        path,
        cell_count: snapshot.notebook.cells.length,
        checkpoint: input.checkpoint,
      },
    }
  },
})
