import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { callTool, ToolFailed } from '../services/notebook-tools.ts'
import { toolNameOf } from './notebook-path.ts'

export interface FileEntry {
  readonly path: string
  readonly type: 'directory' | 'notebook' | 'file' | 'error'
  readonly size: number | null
  readonly last_modified: string | null
}

export interface Folder {
  readonly files: readonly FileEntry[]
  /** There may be more than was looked at. */
  readonly incomplete: boolean
}

const LOOK_EVERY_MS = 5_000
const FOLDERS = 'folders'

export function useFolder(folder: string) {
  return useQuery({
    queryKey: [FOLDERS, folder],
    queryFn: ({ signal }) => callTool<Folder>('list_files', { path: folder, max_depth: 0, limit: 0 }, signal),
    refetchInterval: LOOK_EVERY_MS,
    retry: (count, error) => count < 3 && !(error instanceof ToolFailed),
  })
}

export function useCreateNotebook() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (path: string) =>
      callTool('use_notebook', { notebook_name: toolNameOf(path), notebook_path: path, mode: 'create' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [FOLDERS] }),
  })
}

export function useDeleteNotebook() {
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(path: string) {
      await letGo(path)
      await callTool('delete_file', { path })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [FOLDERS] }),
  })
}

export function useRenameNotebook() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, next }: { readonly path: string; readonly next: string }) =>
      callTool('rename_file', { path, new_path: next }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [FOLDERS] }),
  })
}

/** A notebook in use is not deleted, and one that was renamed may be in use under its old name. */
async function letGo(path: string): Promise<void> {
  const { notebooks } = await callTool<InUse>('list_notebooks', {})
  for (const { name } of notebooks.filter((notebook) => notebook.path === path)) {
    await callTool('unuse_notebook', { notebook_name: name })
  }
}

interface InUse {
  readonly notebooks: readonly { readonly name: string; readonly path: string }[]
}
