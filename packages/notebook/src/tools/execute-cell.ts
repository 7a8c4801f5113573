import { z } from 'zod'
import { runCell } from './shared/execution-cell.ts'
import { cellExecution, toCellReply } from './shared/execution-cell-reply.ts'
import { progressInterval, stream, timeout, toTimeoutSeconds } from './shared/execution-fields.ts'
import { reportSeconds } from './shared/execution-run.ts'
import { oneCell, toCellTarget } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const executeCell = defineTool({
  name: 'execute_cell',
  title: 'Execute Cell',
  description:
    'Executes a code cell of a notebook in its kernel, writes the outputs into the cell and returns them. A kernel is started when there is none. An exception in the code is returned as a traceback; a cell that takes longer than the timeout is interrupted, and what it printed until then is returned and kept.',
  scope: 'code:execute',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({ ...oneCell, timeout, stream, progress_interval: progressInterval }),
  output: cellExecution,
  async run(input, context) {
    const target = toCellTarget(input)
    const notebook = context.view.notebook(input.notebook_name)
    const timeoutSeconds = toTimeoutSeconds(input.timeout, context.config)
    const run = await runCell(context, {
      notebook,
      target,
      seen: context.view.seen(notebook),
      timeoutSeconds,
      progressInterval: input.progress_interval,
      report: reportSeconds(context, timeoutSeconds),
    })
    return toCellReply(context, notebook.name, run, { stream: input.stream, timeoutSeconds })
  },
})
