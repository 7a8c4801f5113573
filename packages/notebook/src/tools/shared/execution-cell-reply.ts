import { z } from 'zod'
import { outputsToContent } from '../../outputs/to-content.ts'
import type { Reply } from '../tool.ts'
import type { ToolContext } from '../tool-context.ts'
import type { CellRun } from './execution-cell.ts'
import {
  executionFields,
  isDone,
  linkToOutputs,
  outputPolicy,
  toBlocks,
  toExecutionFields,
} from './execution-reply.ts'

/** What programs read of the execution of one cell. */
export const cellExecution = z.object({
  notebook_name: z.string(),
  cell: z.object({ index: z.int(), id: z.string().nullable() }),
  ...executionFields,
  written: z.boolean().describe('Whether the notebook holds the outputs'),
  merged: z.boolean(),
})

export interface CellReplyOptions {
  readonly stream: boolean
  readonly timeoutSeconds: number
}

export async function toCellReply(
  context: ToolContext,
  notebookName: string,
  run: CellRun,
  { stream, timeoutSeconds }: CellReplyOptions,
): Promise<Reply<z.input<typeof cellExecution>>> {
  const { result, written, merged, notes } = run
  const link = linkToOutputs(context, notebookName, run)
  const outputs = await outputsToContent(result.outputs, outputPolicy(context.config), link)
  const timeoutMarker = `[TIMEOUT ERROR: Execution exceeded ${timeoutSeconds} seconds]`
  return {
    content: toBlocks(outputs, { ...run, stream, timeoutMarker }),
    structured: {
      notebook_name: notebookName,
      cell: { index: run.index, id: run.id },
      ...toExecutionFields(result, run.kernelId, outputs, notes),
      written,
      merged,
    },
    isError: !isDone(result.status) || !written,
  }
}
