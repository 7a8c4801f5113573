import { ToolError } from '../../tool-error.ts'
import type { ToolContext } from '../tool-context.ts'
import { mapBounded } from './map-bounded.ts'

export interface FileRow {
  readonly path: string
  readonly type: 'directory' | 'notebook' | 'file' | 'error'
  readonly size: number | null
  readonly lastModified: string
  /** Why a folder could not be read. */
  readonly error?: string
}

export interface WalkedFiles {
  /** Sorted by path. */
  readonly rows: readonly FileRow[]
  /** The bound was reached. */
  readonly incomplete: boolean
}

type WalkContext = Pick<ToolContext, 'servers' | 'fence' | 'signal'>

const FOLDERS_AT_ONCE = 6
const MOST_ROWS = 10_000

/** Everything in a folder and so many levels below it. Only the folder itself must be readable. */
export async function walkFiles(folder: string, depth: number, context: WalkContext): Promise<WalkedFiles> {
  const rows: FileRow[] = []
  let folders = await readFolder(folder, rows, context)
  for (let level = 1; level <= depth && folders.length > 0 && rows.length < MOST_ROWS; level += 1) {
    const deeper = await mapBounded(folders, FOLDERS_AT_ONCE, async (path) => {
      if (rows.length >= MOST_ROWS) return [path]
      try {
        return await readFolder(path, rows, context)
      } catch (error) {
        if (!(error instanceof ToolError) || context.signal.aborted) throw error
        rows.push({ path, type: 'error', size: null, lastModified: '', error: error.message })
        return []
      }
    })
    folders = deeper.flat()
  }
  const sorted = rows.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return { rows: sorted.slice(0, MOST_ROWS), incomplete: rows.length >= MOST_ROWS }
}

/** Returns the folders in it. */
async function readFolder(
  folder: string,
  rows: FileRow[],
  { servers, fence, signal }: WalkContext,
): Promise<string[]> {
  const entries = await servers.contents.list(folder, { signal })
  const visible = entries.filter(({ path }) => fence.isVisible(path))
  for (const { path, type, size, lastModified } of visible) rows.push({ path, type, size, lastModified })
  return visible.filter(({ type }) => type === 'directory').map(({ path }) => path)
}
