import { ToolError } from '../../tool-error.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import type { NotebookKernel } from '../../workspace/notebook-kernel.ts'
import type { ToolContext } from '../tool-context.ts'
import { requireKernel } from './execution-kernel.ts'

export interface KernelWish {
  readonly kernel_id?: string | null | undefined
  readonly kernel_name?: string | null | undefined
}

/** Instead of an id: a kernel is to be started now. */
const NEW = 'NEW'

type KernelContext = Pick<ToolContext, 'servers' | 'signal'>

/** Refuses a wish that cannot be granted. */
export async function checkKernel(
  { kernel_id: id, kernel_name: name }: KernelWish,
  known: ManagedNotebook | undefined,
  { servers, signal }: KernelContext,
): Promise<void> {
  if (name && id && id !== NEW) {
    throw new ToolError(
      'invalid_argument',
      'Both kernel_id and kernel_name are given. Give kernel_id to use a running kernel, or kernel_name for one that is to be started.',
    )
  }
  if (name && known && known.kernel.kernelName() !== name) {
    throw new ToolError(
      'conflict',
      `kernel_name was not applied, because notebook '${known.name}' is in use already. Let it go with unuse_notebook, then open it again.`,
    )
  }
  if (id && id !== NEW) await requireKernel(servers.kernels, id, signal)
  if (name) await requireKernelSpec(name, { servers, signal })
}

/** Grants it, and says what came of it. */
export async function chooseKernel(
  kernel: NotebookKernel,
  { kernel_id: id, kernel_name: name }: KernelWish,
  { signal }: KernelContext,
): Promise<string[]> {
  if (id && id !== NEW) {
    const { shutDown } = await kernel.attach(id, signal)
    const connected = `[INFO] Connected to kernel '${id}'.`
    if (shutDown === undefined) return [connected]
    return [
      connected,
      `[INFO] Kernel '${shutDown}', which was started for this notebook, was shut down: its variables are gone.`,
    ]
  }
  const present = await kernel.adopt(signal)
  const isGone = present !== undefined && (await kernel.status(signal)) === 'dead'
  if (id === NEW && (present === undefined || isGone)) {
    const { kernelId, notes } = await kernel.ready(signal)
    return [...notes, `[INFO] Connected to kernel '${kernelId}'.`]
  }
  if (present === undefined) return ['[INFO] No kernel yet: one starts with the first execution.']
  if (isGone) return [`[INFO] Kernel '${present}' is gone: the next execution starts another one.`]
  const notes = [`[INFO] Connected to kernel '${present}'.`]
  if (id === NEW) {
    notes.push(
      '[INFO] The notebook has this kernel already, so no new one was started. restart_notebook clears it.',
    )
  }
  if (name && name !== kernel.kernelName()) {
    notes.push(
      `[INFO] kernel_name was not applied: the notebook has a kernel '${kernel.kernelName()}' already.`,
    )
  }
  return notes
}

async function requireKernelSpec(name: string, { servers, signal }: KernelContext): Promise<void> {
  const { specs } = await servers.kernels.specs(signal)
  if (specs.some((spec) => spec.name === name)) return
  const known = specs.map((spec) => `'${spec.name}'`).join(', ')
  throw new ToolError(
    'not_found',
    `The kernelspec '${name}' was not found on the execution server. It has: ${known || 'none'}. See list_kernelspecs.`,
  )
}
