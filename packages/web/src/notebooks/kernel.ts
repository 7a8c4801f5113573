import { useQuery } from '@tanstack/react-query'
import { callTool } from '../services/notebook-tools.ts'

/** What runs a notebook's code. */
export interface Kernel {
  readonly name: string
  readonly state: string
}

interface Notebooks {
  readonly notebooks: readonly { readonly path: string; readonly kernel_id: string | null }[]
}

interface Kernels {
  readonly kernels: readonly {
    readonly id: string
    readonly display_name: string
    readonly name: string
    readonly state: string
  }[]
}

const LOOK_EVERY_MS = 2_000

/** Undefined where none is known to run. It is known of notebooks in use alone, and this page uses one when it first runs a cell. */
export function useKernel(path: string): Kernel | undefined {
  const { data } = useQuery({
    queryKey: ['kernel', path],
    queryFn: ({ signal }) => readKernel(path, signal),
    refetchInterval: LOOK_EVERY_MS,
  })
  return data ?? undefined
}

async function readKernel(path: string, signal: AbortSignal): Promise<Kernel | null> {
  const [{ notebooks }, { kernels }] = await Promise.all([
    callTool<Notebooks>('list_notebooks', {}, signal),
    callTool<Kernels>('list_kernels', {}, signal),
  ])
  const ids = notebooks.filter((notebook) => notebook.path === path).map(({ kernel_id }) => kernel_id)
  const found = kernels.find(({ id }) => ids.includes(id))
  return found ? { name: found.display_name || found.name, state: found.state } : null
}
