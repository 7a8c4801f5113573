import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { NotebookConfig } from '../../config.ts'
import type { Output } from '../../document/nbformat.ts'
import type { ExecutionResult, ExecutionStatus } from '../../execution/execution-result.ts'
import { OutputView } from '../../outputs/describe-output.ts'
import type { OutputLink } from '../../outputs/output-part.ts'
import { DEFAULT_OUTPUT_POLICY, type OutputPolicy } from '../../outputs/output-policy.ts'
import type { OutputContent } from '../../outputs/to-content.ts'
import { formatNotebookUri } from '../../resources/notebook-uri.ts'
import type { ToolContext } from '../tool-context.ts'
import { withMergeNote } from './edit-notebook.ts'
import { type Batch, batchLines } from './execution-batches.ts'
import type { CellRun } from './execution-cell.ts'

/** What programs read of every execution. */
export const executionFields = {
  status: z
    .enum(['ok', 'error', 'timeout', 'cancelled', 'lost'])
    .describe('error: the code raised an exception, which is among the outputs'),
  execution_count: z.int().nullable(),
  seconds: z.number(),
  kernel_id: z.string().nullable(),
  outputs: z.array(OutputView),
  truncated: z.boolean().describe('Whether the reply shows less than the whole of an output'),
  notes: z.array(z.string()),
}

/** How the closing lines of a reply look. */
export interface Closing {
  readonly result: ExecutionResult
  readonly batches: readonly Batch[]
  readonly notes: readonly string[]
  /** A timeline, or the outputs alone. */
  readonly stream: boolean
  /** Stands in a reply without a timeline. */
  readonly timeoutMarker: string
  readonly merged: boolean
}

/** The outputs come first, then whatever is to be said about the execution. */
export function toBlocks({ content }: OutputContent, closing: Closing): ContentBlock[] {
  const lines = closingLines(closing)
  if (content.length === 0 && isDone(closing.result.status)) lines.unshift('[No output generated]')
  const text = withMergeNote(lines.join('\n'), closing.merged).trim()
  return text === '' ? content : [...content, { type: 'text', text }]
}

export function toExecutionFields(
  { status, executionCount, seconds }: ExecutionResult,
  kernelId: string | undefined,
  { views, truncated }: OutputContent,
  notes: readonly string[],
) {
  return {
    status,
    execution_count: executionCount,
    seconds: Math.round(seconds * 1000) / 1000,
    kernel_id: kernelId ?? null,
    outputs: views,
    truncated,
    notes: notes.map(toLine),
  }
}

/** An exception in the code is a result like any other. */
export function isDone(status: ExecutionStatus): boolean {
  return status === 'ok' || status === 'error'
}

export function outputPolicy({ maxOutputBytes, images }: NotebookConfig): OutputPolicy {
  return { ...DEFAULT_OUTPUT_POLICY, maxBytes: maxOutputBytes, images }
}

/** Where the whole of an output can be read: in the notebook, or where it did not get there, among the kept ones. */
export function linkToOutputs(context: ToolContext, notebookName: string, run: CellRun): OutputLink {
  const { index, id, written, result } = run
  if (!written) return keepOutputs(context, result.outputs)
  const cell = id === null ? { index } : { id }
  return (output) => formatNotebookUri({ kind: 'output', name: notebookName, cell, output })
}

export function keepOutputs({ keptOutputs, view }: ToolContext, outputs: readonly Output[]): OutputLink {
  const id = outputs.length > 0 ? keptOutputs.keep(view.workspace.owner, outputs) : undefined
  return (output) => (id === undefined ? undefined : formatNotebookUri({ kind: 'kept', id, output }))
}

function closingLines({ result, batches, notes, stream, timeoutMarker }: Closing): string[] {
  const { status, seconds } = result
  const lines = notes.map(toLine)
  if (!stream) return status === 'timeout' ? [...lines, timeoutMarker] : lines
  return [
    ...batchLines(batches),
    ...lines,
    ...(isDone(status) ? [`[COMPLETED in ${seconds.toFixed(1)}s]`] : []),
  ]
}

/** Everything but outputs stands in brackets. */
export function toLine(note: string): string {
  return note.startsWith('[') ? note : `[ERROR: ${note}]`
}
