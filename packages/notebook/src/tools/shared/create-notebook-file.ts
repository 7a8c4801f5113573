import { emptyNotebook } from '../../document/empty-notebook.ts'
import type { KernelSpec } from '../../upstream/kernels.ts'
import type { ToolContext } from '../tool-context.ts'
import { requireFolder } from './require-file.ts'
import { parentOf } from './server-path.ts'

/** An empty notebook where nothing is yet, naming the kernel that Jupyter should start for it. */
export async function createNotebookFile(
  path: string,
  kernelName: string | undefined,
  context: ToolContext,
): Promise<void> {
  await requireFolder(parentOf(path), context)
  const spec = await findSpec(kernelName, context)
  const notebook = emptyNotebook({
    ...(spec && { kernelspec: { name: spec.name, displayName: spec.displayName } }),
    ...(spec?.language && { language: spec.language }),
  })
  await context.servers.contents.create(path, notebook, { signal: context.signal })
}

async function findSpec(
  wanted: string | undefined,
  { servers, signal, logger }: ToolContext,
): Promise<KernelSpec | undefined> {
  try {
    const { specs, default: preferred } = await servers.kernels.specs(signal)
    return specs.find(({ name }) => name === (wanted ?? preferred))
  } catch (error) {
    if (wanted !== undefined || signal.aborted) throw error
    // A notebook without a kernelspec is whole; where code runs may be another server, which is not needed now.
    logger.debug({ err: error }, 'a notebook is created without a kernelspec')
    return undefined
  }
}
