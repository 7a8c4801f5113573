import { z } from 'zod'
import type { Seen, Snapshot } from '../document/document.ts'
import { refuseDuplicates } from '../document/edit-cells.ts'
import { findCell } from '../document/find-cell.ts'
import type { Notebook } from '../document/nbformat.ts'
import { rebase } from '../document/rebase.ts'
import { ToolError } from '../tool-error.ts'
import { requireCode } from './shared/execution-cell.ts'
import { progressInterval, timeoutOf, toTimeoutSeconds } from './shared/execution-fields.ts'
import { runInOrder } from './shared/execution-sequence.ts'
import { createRunViewer, sequenceExecution, toSequenceReply } from './shared/execution-sequence-reply.ts'
import { cellIds, cellIndices, notebookName, orDefault, toCellTargets } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const runCells = defineTool({
  name: 'run_cells',
  title: 'Run Cells',
  description:
    'Executes several code cells of a notebook one after the other and writes the outputs of each into it: all of them, those from start_index to end_index, or those listed. Stops at the first exception unless stop_on_error is false, and always at a timeout or a lost kernel; the reply says what was not run.',
  scope: 'code:execute',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    start_index: z
      .int()
      .min(0)
      .nullish()
      .describe('The first cell of a range. Cells that are no code are skipped.'),
    end_index: z.int().min(0).nullish().describe('The last cell of a range, itself included.'),
    cell_indices: cellIndices,
    cell_ids: cellIds,
    stop_on_error: orDefault(z.boolean(), true).describe('Whether to stop at the first exception.'),
    timeout: timeoutOf(0, 'Seconds that each cell may take; all together may take the configured maximum.'),
    progress_interval: progressInterval,
    notebook_name: notebookName,
  }),
  output: sequenceExecution,
  async run(input, context) {
    const { view, signal, config } = context
    const notebook = view.notebook(input.notebook_name)
    const current = await notebook.document.read(signal)
    const seen = knownTo(view.seen(notebook) ?? current, input)
    const indices = chooseCells(input, seen.notebook)
    refuseChanged(indices, current, seen)
    const sequence = await runInOrder(context, {
      notebook,
      seen,
      indices,
      stopOnError: input.stop_on_error,
      timeoutSeconds: toTimeoutSeconds(input.timeout, config),
      progressInterval: input.progress_interval,
      show: createRunViewer(context, notebook.name, indices.length),
    })
    return toSequenceReply(notebook.name, sequence)
  },
})

interface Choice {
  readonly start_index?: number | null | undefined
  readonly end_index?: number | null | undefined
  readonly cell_indices?: readonly number[] | null | undefined
  readonly cell_ids?: readonly string[] | null | undefined
}

/** Ids hold whatever others have moved; indices, and "all of them", do not. */
function knownTo({ notebook, revision, indicesAreStale }: Seen, { cell_ids }: Choice): Seen {
  return { notebook, revision, ...(indicesAreStale && !cell_ids && { indicesAreStale }) }
}

/** In the numbering of what the caller saw. */
function chooseCells(choice: Choice, notebook: Notebook): readonly number[] {
  const { start_index: start, end_index: end, cell_indices, cell_ids } = choice
  const isRange = typeof start === 'number' || typeof end === 'number'
  if (!cell_indices && !cell_ids) return codeCellsIn(notebook, start ?? 0, end ?? notebook.cells.length - 1)
  if (isRange) {
    throw new ToolError(
      'invalid_argument',
      'Which cells are meant? Give a range (start_index, end_index) or a list (cell_indices or cell_ids), not both.',
    )
  }
  const indices = toCellTargets(cell_indices, cell_ids).map((target) => findCell(notebook, target))
  refuseDuplicates(indices)
  for (const index of indices) requireCode(notebook, index)
  return indices
}

function codeCellsIn(notebook: Notebook, start: number, end: number): readonly number[] {
  if (notebook.cells.length === 0) return []
  for (const index of [start, end]) findCell(notebook, { index })
  if (start > end) {
    throw new ToolError(
      'invalid_argument',
      `start_index ${start} is behind end_index ${end}. Turn them round.`,
    )
  }
  return notebook.cells.flatMap(({ cell_type }, index) =>
    cell_type === 'code' && index >= start && index <= end ? [index] : [],
  )
}

/** All of them before the first one runs: half a run of what nobody has read helps nobody. */
function refuseChanged(indices: readonly number[], current: Snapshot, seen: Seen): void {
  rebase({ cells: indices.map((index) => ({ index })), touches: 'source' }, current, seen)
}
