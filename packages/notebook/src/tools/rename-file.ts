import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { requireFile, requireFolder } from './shared/require-file.ts'
import { isWithin, parentOf } from './shared/server-path.ts'
import { defineTool } from './tool.ts'
import type { ToolContext } from './tool-context.ts'

export const renameFile = defineTool({
  name: 'rename_file',
  title: 'Rename File',
  description:
    'Renames or moves a file or folder of the notebook server. It never overwrites anything. A notebook that you have in use keeps its name and its kernel.',
  scope: 'notebooks:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    path: z.string().min(1).describe("The file's path, relative to the server's root."),
    new_path: z.string().min(1).describe('Its new path, complete, in a folder that is there.'),
  }),
  output: z.object({
    path: z.string(),
    new_path: z.string(),
    /** The notebooks in use that moved along. */
    notebooks: z.array(z.string()),
  }),
  async run(input, context) {
    const { fence, servers, signal, view } = context
    const path = fence.check(input.path)
    const next = fence.check(input.new_path)
    refuseNonsense(path, next)
    await requireFile(path, context)
    await requireFolder(parentOf(next), context)
    const moving = view.workspace.all().filter((notebook) => isWithin(notebook.path, path))
    if (moving.some((notebook) => notebook.path === path) && !next.endsWith('.ipynb')) {
      throw new ToolError(
        'conflict',
        `'${path}' is a notebook in use, so its new path must end in .ipynb. Let it go with unuse_notebook first, or choose such a path.`,
      )
    }
    await Promise.all(moving.map(({ document }) => document.close()))
    try {
      await servers.contents.rename(path, next, { signal })
    } catch (error) {
      reopen(moving, (old) => old, context)
      throw error
    }
    const moved = reopen(moving, (old) => next + old.slice(path.length), context)
    for (const notebook of moved) await moveSession(notebook, context)
    const names = moved.map(({ name }) => name)
    const note = names.length > 0 ? ` In use and moved along: ${names.join(', ')}.` : ''
    return {
      content: `'${path}' renamed successfully to '${next}'.${note}`,
      structured: { path, new_path: next, notebooks: names },
    }
  },
})

function refuseNonsense(path: string, next: string): void {
  if (path === '' || next === '') {
    throw new ToolError(
      'invalid_argument',
      'The root of the server cannot be renamed. Give the path of a file.',
    )
  }
  if (path === next) throw new ToolError('invalid_argument', `'${path}' has this path already.`)
  if (isWithin(next, path)) {
    throw new ToolError('invalid_argument', `'${path}' cannot be moved into itself. Choose another folder.`)
  }
}

/**
 * Documents are closed before their files move, so that no edit under way can write an old file anew. A notebook that was let go meanwhile
 * stays so.
 */
function reopen(
  notebooks: readonly ManagedNotebook[],
  pathFor: (old: string) => string,
  { servers, view }: ToolContext,
): readonly ManagedNotebook[] {
  const inUse = notebooks.filter((notebook) => view.workspace.find(notebook.name) === notebook)
  return inUse.map((notebook) => {
    const path = pathFor(notebook.path)
    const reopened = Object.freeze({ ...notebook, path, document: servers.openDocument(path) })
    view.carryOver(notebook, reopened)
    view.workspace.put(reopened)
    return reopened
  })
}

/** Whoever opens the notebook at its new path is to find its kernel. The file has moved in any case. */
async function moveSession({ kernel, path }: ManagedNotebook, { logger }: ToolContext): Promise<void> {
  try {
    await kernel.moveTo(path)
  } catch (error) {
    logger.warn({ err: error, path }, 'the session of a renamed notebook could not be moved')
  }
}
