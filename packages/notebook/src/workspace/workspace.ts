import { ToolError } from '../tool-error.ts'
import type { ManagedNotebook } from './managed-notebook.ts'
import { createScratchKernels, type ScratchKernels } from './scratch-kernels.ts'

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
  /** For code that belongs to no notebook. */
  readonly scratch: ScratchKernels
  /** Lets all of them go, whatever fails on the way. */
  clear(): Promise<void>
}

const MAX_NOTEBOOKS = 100

export function createWorkspace(owner: string): Workspace {
  const notebooks = new Map<string, ManagedNotebook>()
  const scratch = createScratchKernels()

  return Object.freeze({
    owner,
    all: () => [...notebooks.values()],
    find: (name: string) => notebooks.get(name),
    isEmpty: () => notebooks.size === 0 && scratch.isEmpty(),
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
    scratch,
    async clear() {
      const all = [...notebooks.values()]
      notebooks.clear()
      await Promise.allSettled([...all.map(release), scratch.clear()])
    },
  })
}

async function release({ document, kernel }: ManagedNotebook): Promise<{ kernelShutDown: boolean }> {
  const [, released] = await Promise.allSettled([document.close(), kernel.release()])
  return { kernelShutDown: released.status === 'fulfilled' && released.value.shutDown }
}
