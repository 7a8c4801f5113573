import { z } from 'zod'
import { outputsToContent } from '../outputs/to-content.ts'
import { ToolError } from '../tool-error.ts'
import type { ReadyKernel } from '../workspace/notebook-kernel.ts'
import { kernelId, progressInterval, timeoutOf, toTimeoutSeconds } from './shared/execution-fields.ts'
import { connectTo, requireKernel } from './shared/execution-kernel.ts'
import {
  executionFields,
  isDone,
  keepOutputs,
  outputPolicy,
  toBlocks,
  toExecutionFields,
} from './shared/execution-reply.ts'
import { NOTHING, reportSeconds, runInKernel } from './shared/execution-run.ts'
import { notebookName } from './shared/fields.ts'
import { defineTool } from './tool.ts'
import type { ToolContext } from './tool-context.ts'

const DEFAULT_SECONDS = 30

export const executeCode = defineTool({
  name: 'execute_code',
  title: 'Execute Code',
  description:
    "Executes code in a kernel and returns its outputs; nothing is written to a notebook. Take it to look at things and to try them out. It runs in the kernel with kernel_id, else in that of the notebook, whose variables it sees and can change; with no notebook in use it starts a kernel of its own, which stays for later calls. Magics such as '%timeit' and shell commands such as '!ls' work in IPython kernels.",
  scope: 'code:execute',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    code: z.string().describe('The code to execute.'),
    timeout: timeoutOf(DEFAULT_SECONDS, 'Seconds that it may take; then it is interrupted.'),
    kernel_id: kernelId,
    notebook_name: notebookName,
    progress_interval: progressInterval,
  }),
  output: z.object({ notebook_name: z.string().nullable(), ...executionFields }),
  async run(input, context) {
    const timeoutSeconds = toTimeoutSeconds(input.timeout, context.config)
    const { notebookName: name, use } = chooseKernel(input, context)
    async function runIn(kernel: ReadyKernel) {
      const { result } = await runInKernel(context, {
        kernel,
        notebookName: name,
        code: input.code,
        timeoutSeconds,
        progressInterval: input.progress_interval,
        report: reportSeconds(context, timeoutSeconds),
      })
      return { result, kernel }
    }
    const { result, kernel } =
      input.code.trim() === '' ? { result: NOTHING, kernel: undefined } : await orBracketed(() => use(runIn))
    const link = keepOutputs(context, result.outputs)
    const outputs = await outputsToContent(result.outputs, outputPolicy(context.config), link)
    const notes = [...(kernel?.notes ?? []), ...result.notes]
    const timeoutMarker = `[TIMEOUT ERROR: IPython execution exceeded ${timeoutSeconds} seconds${result.executionCount === null ? '' : ' and was interrupted'}]`
    const closing = { result, batches: [], notes, stream: false, timeoutMarker, merged: false }
    return {
      content: toBlocks(outputs, closing),
      structured: {
        notebook_name: name ?? null,
        ...toExecutionFields(result, kernel?.kernelId, outputs, notes),
      },
      isError: !isDone(result.status),
    }
  },
})

interface Where {
  readonly notebookName: string | undefined
  use<Result>(work: (kernel: ReadyKernel) => Promise<Result>): Promise<Result>
}

interface Named {
  readonly kernel_id?: string | null | undefined
  readonly notebook_name?: string | null | undefined
}

function chooseKernel({ kernel_id: id, notebook_name: name }: Named, context: ToolContext): Where {
  const { view, servers, hooks, signal } = context
  if (typeof id === 'string')
    return { notebookName: undefined, use: async (work) => work(await attachTo(id, context)) }
  if (typeof name !== 'string' && view.own().length === 0) {
    const { scratch } = view.workspace
    const { thread } = view
    return { notebookName: undefined, use: (work) => scratch.use({ thread, servers, hooks, signal }, work) }
  }
  const notebook = view.notebook(name)
  return { notebookName: notebook.name, use: async (work) => work(await notebook.kernel.ready(signal)) }
}

async function attachTo(id: string, context: ToolContext): Promise<ReadyKernel> {
  const { pool, kernels } = context.servers
  if (!pool.isLive(id)) await requireKernel(kernels, id, context.signal)
  return connectTo(id, context)
}

async function orBracketed<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new ToolError(error.code, `[ERROR: ${error.message}]`, { cause: error })
  }
}
