import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { requireKernelOf } from './shared/execution-kernel.ts'
import { notebookName } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const restartNotebook = defineTool({
  name: 'restart_notebook',
  title: 'Restart Notebook',
  description:
    'Restarts the kernel of a notebook in use: everything that runs in it is ended and all its variables are lost, while the notebook itself stays as it is. To stop a running cell alone take interrupt_kernel.',
  scope: 'code:execute',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ notebook_name: notebookName }),
  output: z.object({
    notebook_name: z.string(),
    kernel_id: z.string(),
    /** The kernel was gone, and this is a new one. */
    reprovisioned: z.boolean(),
  }),
  async run(input, { view, signal }) {
    const notebook = view.notebook(input.notebook_name)
    const { name } = notebook
    const { before, kernelId, replaced } = await restart(notebook, signal)
    const text = replaced
      ? `Notebook '${name}' kernel restarted successfully: kernel '${before}' was gone, so a new one was reprovisioned, kernel '${kernelId}'.`
      : `Notebook '${name}' kernel restarted successfully. It is kernel '${kernelId}' still.`
    return {
      content: `${text} All variables are lost: run the cells that define them again.`,
      structured: { notebook_name: name, kernel_id: kernelId, reprovisioned: replaced },
    }
  },
})

async function restart(notebook: ManagedNotebook, signal: AbortSignal) {
  try {
    const before = await requireKernelOf(notebook, signal)
    return { before, ...(await notebook.kernel.restart(signal)) }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new ToolError(error.code, `Failed to restart the kernel. ${error.message}`, { cause: error })
  }
}
