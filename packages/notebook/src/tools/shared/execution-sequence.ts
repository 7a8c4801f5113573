import type { Snapshot } from '../../document/document.ts'
import { cellAt } from '../../document/find-cell.ts'
import { ToolError } from '../../tool-error.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import type { ToolContext } from '../tool-context.ts'
import { type CellRun, runCell } from './execution-cell.ts'
import type { Report } from './execution-run.ts'

export interface SequenceRequest<Shown> {
  readonly notebook: ManagedNotebook
  readonly seen: Snapshot
  /** In the numbering of what was seen, in the order in which they run. */
  readonly indices: readonly number[]
  readonly stopOnError: boolean
  /** For each cell. */
  readonly timeoutSeconds: number
  readonly progressInterval: number
  /** What is kept of a run: all outputs of all cells may be more than there is room for. */
  readonly show: (run: CellRun) => Promise<Shown>
}

/** A cell by what the caller knows of it. */
export interface NamedCell {
  readonly index: number
  readonly id: string | null
}

export interface Sequence<Shown> {
  readonly shown: readonly Shown[]
  /** Why it ended before its end. */
  readonly stopped: { readonly cell: NamedCell; readonly reason: string } | undefined
  readonly notRun: readonly NamedCell[]
  /** It ended for another reason than an exception in the code. */
  readonly failed: boolean
}

export async function runInOrder<Shown>(
  context: ToolContext,
  request: SequenceRequest<Shown>,
): Promise<Sequence<Shown>> {
  const { notebook, seen, indices, stopOnError, progressInterval, show } = request
  const begun = performance.now()
  const secondsLeft = () => context.config.maxExecutionTimeoutSeconds - (performance.now() - begun) / 1000
  const nameOf = (index: number): NamedCell => ({ index, id: cellAt(seen.notebook, index).id ?? null })
  const shown: Shown[] = []
  let known: Snapshot | undefined

  for (const [done, index] of indices.entries()) {
    const stopHere = ({ reason, failed }: Stop, next: number): Sequence<Shown> => ({
      shown,
      stopped: { cell: nameOf(index), reason },
      notRun: indices.slice(next).map(nameOf),
      failed,
    })
    const timeoutSeconds = Math.min(request.timeoutSeconds, secondsLeft())
    if (timeoutSeconds <= 0) return stopHere({ reason: NO_TIME_LEFT, failed: true }, done)
    if (context.signal.aborted) return stopHere({ reason: REASONS.cancelled, failed: true }, done)
    const report = reportCells(context, { done, total: indices.length, index, timeoutSeconds })
    if (progressInterval > 0) report(0, 'started')
    const timing = { timeoutSeconds, progressInterval, report }
    let run: CellRun
    try {
      run = await runCell(context, { notebook, target: { index }, seen, known, ...timing })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return stopHere({ reason: error.message, failed: true }, done)
    }
    known = run.snapshot
    shown.push(await show(run))
    const stop = stopAfter(run, stopOnError)
    if (stop) return stopHere(stop, done + 1)
  }
  return { shown, stopped: undefined, notRun: [], failed: false }
}

interface Stop {
  readonly reason: string
  readonly failed: boolean
}

function stopAfter({ result: { status }, written }: CellRun, stopOnError: boolean): Stop | undefined {
  if (status !== 'ok' && status !== 'error') return { reason: REASONS[status], failed: true }
  if (!written) return { reason: 'its outputs could not be written', failed: true }
  return status === 'error' && stopOnError ? { reason: REASONS.error, failed: false } : undefined
}

const NO_TIME_LEFT = 'the time that all cells together may take is used up'

const REASONS = {
  error: 'it raised an exception',
  timeout: 'it took longer than its timeout',
  cancelled: 'the call was cancelled',
  lost: 'its kernel was lost',
} as const

interface Step {
  readonly done: number
  readonly total: number
  readonly index: number
  readonly timeoutSeconds: number
}

/** Whole steps are cells, and what is between them is how much of its time a cell has used. */
function reportCells({ progress }: ToolContext, { done, total, index, timeoutSeconds }: Step): Report {
  return (seconds, message) =>
    progress({
      progress: done + Math.min(seconds / timeoutSeconds, 0.99),
      total,
      message: `cell ${index} (${done + 1} of ${total}): ${message}`,
    })
}
