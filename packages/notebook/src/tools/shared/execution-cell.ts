import type { CellTarget } from '../../document/cell-target.ts'
import type { Edited, Seen, ShownRun, Snapshot } from '../../document/document.ts'
import { clearOutputs, setOutputs } from '../../document/edit-outputs.ts'
import { cellAt } from '../../document/find-cell.ts'
import type { CodeCell, Notebook } from '../../document/nbformat.ts'
import { refuseOldFormat } from '../../document/read-notebook.ts'
import { rebase } from '../../document/rebase.ts'
import type { ExecutionResult } from '../../execution/execution-result.ts'
import { ToolError } from '../../tool-error.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import type { View } from '../../workspace/view.ts'
import type { ToolContext } from '../tool-context.ts'
import type { Batch } from './execution-batches.ts'
import { NOTHING, type Report, type RunRequest, runInKernel } from './execution-run.ts'

export interface CellRequest {
  readonly notebook: ManagedNotebook
  /** In the numbering of what was seen. */
  readonly target: CellTarget
  readonly seen: Seen | undefined
  /** What the caller will know beside that: only changes by others since then are news. */
  readonly known?: Snapshot | undefined
  readonly timeoutSeconds: number
  readonly progressInterval: number
  readonly report: Report
}

/** Where a cell is. */
interface CellPlace {
  readonly index: number
  /** Null in notebooks that have none. */
  readonly id: string | null
  /** Somebody else has changed the notebook elsewhere. */
  readonly merged: boolean
  /** The notebook in which it is there. */
  readonly snapshot: Snapshot
}

export interface CellRun extends CellPlace {
  /** Undefined when there was nothing to run. */
  readonly kernelId: string | undefined
  readonly result: ExecutionResult
  readonly batches: readonly Batch[]
  /** Whether the notebook holds what came back. */
  readonly written: boolean
  readonly notes: readonly string[]
}

/** The outputs of an execution that was cancelled are written all the same. */
const WRITE_MS = 60_000

/**
 * Runs a cell as it stands in the notebook now and writes what came of it into the same cell, wherever that has moved meanwhile. A cell that has
 * changed since it was seen is not run: the caller would not know what.
 */
export async function runCell(context: ToolContext, request: CellRequest): Promise<CellRun> {
  const { view, signal, author } = context
  const { notebook, target, seen, known = seen } = request
  const snapshot = await notebook.document.read(signal)
  const [index = -1] = rebase({ cells: [target], touches: 'source' }, snapshot, seen).place.cells
  const { merged } = rebase({ touches: 'structure' }, snapshot, known)
  refuseOldFormat(snapshot.notebook)
  const cell = requireCode(snapshot.notebook, index)
  const before = { index, id: cell.id ?? null, merged, snapshot }
  if (cell.source.trim() === '') {
    const cleared = await write(view, notebook, before, clearOutputs, signal)
    return { ...cleared, kernelId: undefined, result: NOTHING, batches: [], written: true, notes: [] }
  }
  const kernel = await notebook.kernel.ready(signal)
  const shown = notebook.document.showRun?.(index, snapshot, author)
  const execution = { ...request, kernel, notebookName: notebook.name, code: cell.source }
  const { result, batches } = await runShown(context, { ...execution, onChange: shown?.show }, shown)
  const run = { kernelId: kernel.kernelId, result, batches }
  const notes = [...kernel.notes, ...result.notes]
  if (!hasRun(result)) {
    shown?.abandon()
    return { ...before, ...run, written: false, notes: [...notes, UNTOUCHED] }
  }
  try {
    const change = (draft: Notebook, at: number) =>
      setOutputs(draft, at, result.outputs, result.executionCount)
    const until = AbortSignal.timeout(WRITE_MS)
    const after = shown
      ? placeOf(view, notebook, before, await shown.finish(change, until))
      : await write(view, notebook, before, change, until)
    return { ...after, ...run, written: true, notes }
  } catch (error) {
    return { ...before, ...run, written: false, notes: [...notes, notWritten(error, context)] }
  }
}

/** A run that does not even begin leaves nothing behind that says so. */
async function runShown(context: ToolContext, request: RunRequest, shown: ShownRun | undefined) {
  try {
    return await runInKernel(context, request)
  } catch (error) {
    shown?.abandon()
    throw error
  }
}

export function requireCode(notebook: Notebook, index: number): CodeCell {
  const cell = cellAt(notebook, index)
  if (cell.cell_type === 'code') return cell
  throw new ToolError(
    'invalid_argument',
    `Cell ${index} is a ${cell.cell_type} cell, not a code cell, so it cannot be executed. Choose a code cell, or make it one with change_cell_type.`,
  )
}

/** By its index in what was run: a cell without a lasting id is found by its content and its neighbours. */
async function write(
  view: View,
  notebook: ManagedNotebook,
  before: CellPlace,
  change: (draft: Notebook, index: number) => unknown,
  signal: AbortSignal,
): Promise<CellPlace> {
  const edited = await notebook.document.edit(
    { cells: [{ index: before.index }], touches: 'outputs' },
    (draft, { cells: [now = before.index] }) => {
      change(draft, now)
      return now
    },
    { seen: before.snapshot, signal },
  )
  return placeOf(view, notebook, before, edited)
}

function placeOf(
  view: View,
  notebook: ManagedNotebook,
  before: CellPlace,
  edited: Edited<number>,
): CellPlace {
  view.showEdit(notebook, edited)
  const { result: index, snapshot } = edited
  const id = snapshot.notebook.cells[index]?.id ?? null
  return { index, id, merged: before.merged || edited.merged, snapshot }
}

/** A cell that the kernel has never begun keeps the outputs that it has. */
function hasRun({ status, executionCount, outputs }: ExecutionResult): boolean {
  return status === 'ok' || executionCount !== null || outputs.length > 0
}

const UNTOUCHED = '[Nothing of the cell ran, so its outputs in the notebook were left as they were.]'

function notWritten(error: unknown, { logger }: ToolContext): string {
  if (!(error instanceof ToolError))
    logger.error({ err: error }, 'the outputs of a cell could not be written')
  const why = error instanceof ToolError ? error.message : 'The log of the notebook service says why.'
  return `[NOT WRITTEN: the cell ran, and its outputs are in this reply but not in the notebook. ${why}]`
}
