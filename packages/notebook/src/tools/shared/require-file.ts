import { ToolError } from '../../tool-error.ts'
import type { FileEntry } from '../../upstream/contents.ts'
import type { ToolContext } from '../tool-context.ts'

type FileContext = Pick<ToolContext, 'servers' | 'signal'>

/** What is known of a file without its content. */
export async function requireFile(path: string, { servers, signal }: FileContext): Promise<FileEntry> {
  try {
    return await servers.contents.get(path, { content: false, signal })
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error
    throw new ToolError(
      'not_found',
      `'${path}' was not found on the notebook server. Choose a path that list_files shows.`,
      { cause: error },
    )
  }
}

/** The root is always there. */
export async function requireFolder(path: string, context: FileContext): Promise<void> {
  if (path === '') return
  const { type } = await requireFile(path, context)
  if (type === 'directory') return
  throw new ToolError('invalid_argument', `'${path}' is not a directory but a ${type}. Choose a directory.`)
}
