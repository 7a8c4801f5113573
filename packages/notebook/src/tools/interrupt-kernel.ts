import { z } from 'zod'
import { kernelId } from './shared/execution-fields.ts'
import { requireKernel, requireKernelOf } from './shared/execution-kernel.ts'
import { notebookName } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const interruptKernel = defineTool({
  name: 'interrupt_kernel',
  title: 'Interrupt Kernel',
  description:
    'Stops what a kernel is running, as Ctrl-C does; its variables stay. Without arguments it is the kernel of the current notebook. When that does not help, restart_notebook does.',
  scope: 'code:execute',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ notebook_name: notebookName, kernel_id: kernelId }),
  output: z.object({
    kernel_id: z.string(),
    state_before: z.string().describe('As the server had it; busy when it was running something'),
  }),
  async run(input, { servers, view, signal }) {
    const id = input.kernel_id ?? (await requireKernelOf(view.notebook(input.notebook_name), signal))
    const { executionState } = await requireKernel(servers.kernels, id, signal)
    await servers.kernels.interrupt(id, signal)
    const doubt =
      executionState === 'busy'
        ? ''
        : ` The server had it as ${executionState} before, so there may have been nothing to stop.`
    return {
      content: `[Sent interrupt signal to kernel] Kernel '${id}' was interrupted.${doubt}`,
      structured: { kernel_id: id, state_before: executionState },
    }
  },
})
