import { isRecord } from '../document/json.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Servers } from '../workbench/servers.ts'
import { createNotebookKernel } from './create-notebook-kernel.ts'
import type { ManagedNotebook } from './managed-notebook.ts'

export interface OpenNotebookOptions {
  readonly name: string
  readonly path: string
  /** The kernelspec to start; by default the one that the notebook itself names, if the server has it. */
  readonly kernelName?: string | undefined
  /** A running kernel to work in. */
  readonly kernelId?: string | undefined
}

/** Nothing is read and no kernel is started yet. */
export function openNotebook(servers: Servers, hooks: Hooks, options: OpenNotebookOptions): ManagedNotebook {
  const { name, path, kernelName, kernelId } = options
  const document = servers.openDocument(path)
  const kernel = createNotebookKernel({
    servers,
    hooks,
    path,
    kernelId,
    preferredName: async (signal) => kernelName ?? (await nameInMetadata(signal)),
  })

  async function nameInMetadata(signal?: AbortSignal): Promise<string | undefined> {
    const [{ notebook }, specs] = await Promise.all([document.read(signal), servers.kernels.specs(signal)])
    const { kernelspec } = notebook.metadata
    const wanted = isRecord(kernelspec) ? kernelspec.name : undefined
    return specs.specs.find((spec) => spec.name === wanted)?.name
  }

  return Object.freeze({ name, path, document, kernel })
}
