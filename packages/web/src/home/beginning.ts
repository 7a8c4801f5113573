import type { Configuration as ConfigurationSchema } from '@quire/runtime/contract/configuration'
import { queryOptions } from '@tanstack/react-query'
import { callTool } from '../services/notebook-tools.ts'
import { request } from '../services/request.ts'
import { isServed } from '../services/served.ts'

export const FIRST_NOTEBOOK = 'first.ipynb'
export const FIRST_AGENT = 'guide'
export const FIRST_REQUEST = `create a notebook ${FIRST_NOTEBOOK}\ninsert and run a cell: print("Hello from an agent", 6 * 7)`

const FOUND_MS = 5_000
const SOUGHT_MS = 1_500
const KEY = 'quire.first-minute'

export const hasFirstMinute = isServed('runtime') && isServed('notebook')

/** The paths of what lies beside the first notebook. */
export const notebooksQuery = queryOptions({
  queryKey: ['home', 'notebooks'],
  queryFn: async ({ signal }) => {
    const { files } = await callTool<Files>('list_files', { path: '', max_depth: 0, limit: 0 }, signal)
    return files.flatMap(({ path, type }) => (type === 'notebook' ? [path] : []))
  },
  refetchInterval: ({ state }) => (state.data?.includes(FIRST_NOTEBOOK) ? FOUND_MS : SOUGHT_MS),
})

/** Which models could be used, and what those that cannot be used need. */
export const modelsQuery = queryOptions({
  queryKey: ['home', 'models'],
  queryFn: async ({ signal }) => {
    const { models } = await request<Configuration>('runtime', '/api/v1/configure/config', { signal })
    // Those that need nothing are of this machine, and may not be there.
    const withKey = models.filter(({ requires }) => requires.length > 0)
    return {
      ready: [...new Set(withKey.flatMap(({ id, available }) => (available ? id.split(':')[0] : [])))],
      settings: [...new Set(withKey.map(({ requires }) => requires.join(' and ')))],
    }
  },
})

/** How far somebody has walked in this tab; of whoever has not begun, or left it, nothing is known. */
export type Stage = 'begun' | 'seen'

export function readStage(): Stage | undefined {
  const stage = sessionStorage.getItem(KEY)
  return stage === 'begun' || stage === 'seen' ? stage : undefined
}

export function writeStage(stage: Stage | undefined): void {
  if (stage === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, stage)
}

const SEEN_KEY = 'quire.first-notebook-seen'

/** Whether somebody has looked at the first notebook in this browser, by whichever way. */
export function wasNotebookSeen(): boolean {
  return localStorage.getItem(SEEN_KEY) !== null
}

export function rememberNotebook(): void {
  localStorage.setItem(SEEN_KEY, 'yes')
}

type Configuration = ReturnType<(typeof ConfigurationSchema)['parse']>

interface Files {
  readonly files: readonly { readonly path: string; readonly type: string }[]
}
