import { ToolError } from '../../tool-error.ts'
import type { KernelModel, Kernels } from '../../upstream/kernels.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import type { ReadyKernel } from '../../workspace/notebook-kernel.ts'
import type { ToolContext } from '../tool-context.ts'

/** A kernel that runs on the execution server. */
export async function requireKernel(kernels: Kernels, id: string, signal: AbortSignal): Promise<KernelModel> {
  try {
    return await kernels.get(id, signal)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error
    throw new ToolError(
      'not_found',
      `Kernel '${id}' not found: no such kernel runs on the execution server. See list_kernels for those that do.`,
      { cause: error },
    )
  }
}

/** The kernel that a notebook has. None is started. */
export async function requireKernelOf(
  { name, kernel }: ManagedNotebook,
  signal: AbortSignal,
): Promise<string> {
  const id = await kernel.adopt(signal)
  if (id !== undefined) return id
  throw new ToolError(
    'not_found',
    `Notebook '${name}' has no kernel yet: its first execution starts one. Until then there is nothing to look at, to interrupt or to restart.`,
  )
}

/** A running kernel by its id, whoever started it. */
export async function connectTo(
  kernelId: string,
  { servers, signal }: Pick<ToolContext, 'servers' | 'signal'>,
): Promise<ReadyKernel> {
  return {
    kernelId,
    connection: await servers.pool.connection(kernelId, signal),
    interrupt: () => servers.kernels.interrupt(kernelId),
    notes: [],
  }
}
