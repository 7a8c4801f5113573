import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type OutputContent, outputsToContent } from '../../outputs/to-content.ts'
import type { Reply } from '../tool.ts'
import type { ToolContext } from '../tool-context.ts'
import { withMergeNote } from './edit-notebook.ts'
import type { CellRun } from './execution-cell.ts'
import { executionFields, linkToOutputs, outputPolicy, toExecutionFields, toLine } from './execution-reply.ts'
import type { NamedCell, Sequence } from './execution-sequence.ts'

const cellName = z.object({ index: z.int(), id: z.string().nullable() })

/** What programs read of the execution of several cells. */
export const sequenceExecution = z.object({
  notebook_name: z.string(),
  cells: z.array(z.object({ ...cellName.shape, ...executionFields, written: z.boolean() })),
  stopped: z
    .object({ ...cellName.shape, reason: z.string() })
    .nullable()
    .describe('The cell at which it stopped before its end'),
  not_run: z.array(cellName),
  seconds: z.number(),
  merged: z.boolean(),
})

/** One run, as the reply holds it. */
export interface ShownRun {
  readonly blocks: readonly ContentBlock[]
  readonly fields: z.input<typeof sequenceExecution>['cells'][number]
  readonly merged: boolean
}

/** However many cells there are, one reply has room for so much: each may take a fair part of what is left, and at least a quarter of it. */
export function createRunViewer(context: ToolContext, notebookName: string, cells: number) {
  const policy = outputPolicy(context.config)
  let { maxBytes, maxImages } = policy
  let cellsLeft = cells

  return async function show(run: CellRun): Promise<ShownRun> {
    const share = Math.floor(maxBytes / Math.min(cellsLeft, 4))
    const link = linkToOutputs(context, notebookName, run)
    const room = { ...policy, maxBytes: share, maxImages }
    const outputs = await outputsToContent(run.result.outputs, room, link)
    maxBytes = Math.max(0, maxBytes - textBytes(outputs))
    maxImages -= outputs.images
    cellsLeft -= 1
    const { index, id, written, merged } = run
    const execution = toExecutionFields(run.result, run.kernelId, outputs, run.notes)
    return { blocks: toBlocks(run, outputs), fields: { index, id, ...execution, written }, merged }
  }
}

export function toSequenceReply(
  notebookName: string,
  { shown, stopped, notRun, failed }: Sequence<ShownRun>,
): Reply<z.input<typeof sequenceExecution>> {
  const cells = shown.map(({ fields }) => fields)
  const seconds = cells.reduce((sum, cell) => sum + cell.seconds, 0)
  const merged = shown.some((run) => run.merged)
  const lines = [`[Ran ${cells.length} cell(s) in ${seconds.toFixed(1)}s${countStatuses(cells)}]`]
  if (stopped) lines.push(`[STOPPED at cell ${stopped.cell.index}: ${stopped.reason}]`)
  if (notRun.length > 0) lines.push(`[NOT RUN: ${listCells(notRun)}]`)
  const closing = { type: 'text' as const, text: withMergeNote(lines.join('\n'), merged) }
  return {
    content: [...shown.flatMap(({ blocks }) => blocks), closing],
    structured: {
      notebook_name: notebookName,
      cells,
      stopped: stopped ? { ...stopped.cell, reason: stopped.reason } : null,
      not_run: [...notRun],
      seconds: Math.round(seconds * 1000) / 1000,
      merged,
    },
    isError: failed,
  }
}

function textBytes({ content }: OutputContent): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0)
}

function toBlocks({ index, result, notes }: CellRun, { content }: OutputContent): ContentBlock[] {
  const count = result.executionCount ?? 'N/A'
  const header = `=====Cell ${index} | status: ${result.status} | execution count: ${count} | ${result.seconds.toFixed(1)}s=====`
  const said = notes.map(toLine).join('\n')
  return [
    { type: 'text', text: header },
    ...content,
    ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
  ]
}

function countStatuses(cells: readonly { readonly status: string }[]): string {
  const counts = new Map<string, number>()
  for (const { status } of cells) counts.set(status, (counts.get(status) ?? 0) + 1)
  const parts = [...counts].map(([status, count]) => `${count} ${status}`)
  return parts.length > 0 ? `: ${parts.join(', ')}` : ''
}

const MOST_LISTED = 30

function listCells(cells: readonly NamedCell[]): string {
  const rest = cells.length - MOST_LISTED
  const listed = cells.slice(0, MOST_LISTED).map(({ index }) => index)
  return `cell(s) ${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
