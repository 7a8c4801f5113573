import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import { requireFile } from './shared/require-file.ts'
import { isWithin } from './shared/server-path.ts'
import { defineTool } from './tool.ts'

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete File',
  description:
    'Deletes a file or an empty folder of the notebook server; nothing here brings it back. A notebook in use must be let go with unuse_notebook first.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    path: z.string().min(1).describe("The file's path, relative to the server's root."),
  }),
  output: z.object({ path: z.string(), type: z.enum(['notebook', 'file', 'directory']) }),
  async run(input, { fence, servers, signal, view }) {
    const path = fence.check(input.path)
    if (path === '') throw new ToolError('invalid_argument', 'The root of the server cannot be deleted.')
    const inUse = view.workspace.all().find((notebook) => isWithin(notebook.path, path))
    if (inUse) {
      throw new ToolError(
        'conflict',
        `'${inUse.path}' is in use as notebook '${inUse.name}'. Let it go with unuse_notebook first.`,
      )
    }
    const { type } = await requireFile(path, { servers, signal })
    if (type === 'directory') {
      throw new ToolError(
        'forbidden',
        `'${path}' is a directory, and directories are not deleted here: they may hold hidden files, which the notebook server does not show. Delete its files one by one.`,
      )
    }
    await servers.contents.delete(path, { signal })
    return { content: `'${path}' (${type}) deleted successfully.`, structured: { path, type } }
  },
})
