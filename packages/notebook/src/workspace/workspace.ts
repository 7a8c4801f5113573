import type { Hooks } from '../hooks/hooks.ts'
import { ToolError } from '../tool-error.ts'
import type { Servers } from '../workbench/servers.ts'
import { createNotebookKernel } from './create-notebook-kernel.ts'
import type { ManagedNotebook } from './managed-notebook.ts'
import type { NotebookKernel } from './notebook-kernel.ts'

/** The notebooks that one caller has in use, in the order in which they were opened. Two callers never see each other's. */
export interface Workspace {
  /** The caller's subject. */
  readonly owner: string
  all(): readonly ManagedNotebook[]
  find(name: string): ManagedNotebook | undefined
  /** Nothing would be lost with it. */
  isEmpty(): boolean
  /** A second notebook of the same name takes the place of the first. */
  put(notebook: ManagedNotebook): void
  /** Lets a notebook go: its document is closed, and a kernel that was started for it is shut down. */
  remove(name: string): Promise<{ readonly kernelShutDown: boolean }>
  /** A kernel for code that belongs to no notebook. */
  scratch(servers: Servers, hooks: Hooks): NotebookKernel
  /** Lets all of them go, whatever fails on the way. */
  clear(): Promise<void>
}

const MAX_NOTEBOOKS = 100

export function createWorkspace(owner: string): Workspace {
  const notebooks = new Map<string, ManagedNotebook>()
  let scratch: NotebookKernel | undefined

  return Object.freeze({
    owner,
    all: () => [...notebooks.values()],
    find: (name: string) => notebooks.get(name),
    isEmpty: () => notebooks.size === 0 && scratch === undefined,
    put(notebook: ManagedNotebook) {
      if (!notebooks.has(notebook.name) && notebooks.size >= MAX_NOTEBOOKS) {
        throw new ToolError(
          'conflict',
          `${MAX_NOTEBOOKS} notebooks are in use already. Let one go with unuse_notebook first.`,
        )
      }
      notebooks.set(notebook.name, notebook)
    },
    async remove(name: string) {
      const notebook = notebooks.get(name)
      notebooks.delete(name)
      return notebook ? release(notebook) : { kernelShutDown: false }
    },
    scratch(servers: Servers, hooks: Hooks) {
      scratch ??= createNotebookKernel({ servers, hooks })
      return scratch
    },
    async clear() {
      const all = [...notebooks.values()]
      const kernel = scratch
      notebooks.clear()
      scratch = undefined
      await Promise.allSettled([...all.map(release), kernel?.release()])
    },
  })
}

async function release({ document, kernel }: ManagedNotebook): Promise<{ kernelShutDown: boolean }> {
  const [, released] = await Promise.allSettled([document.close(), kernel.release()])
  return { kernelShutDown: released.status === 'fulfilled' && released.value.shutDown }
}
