import type { Output } from '../document/nbformat.ts'
import type { KernelConnection } from '../upstream/kernel/kernel-connection.ts'
import { createBrake, type Stop } from './brake.ts'
import type { ExecutionResult, ExecutionStatus } from './execution-result.ts'
import { newestText } from './newest-text.ts'
import { createRunRecord, type RunRecord, type RunRecordOptions } from './run-record.ts'
import { waitForTurn } from './wait-for-turn.ts'

export interface Progress {
  /** Since the call. */
  readonly seconds: number
  readonly outputs: number
  /** A short line of what came last. */
  readonly newest?: string
}

export interface RunOptions {
  readonly connection: KernelConnection
  /** Interrupts the kernel, whatever it runs. */
  readonly interrupt: () => Promise<void>
  readonly code: string
  /** Since the call, waiting for the kernel included. */
  readonly timeoutMs: number
  /** Cancels: what was printed until then is returned. */
  readonly signal?: AbortSignal | undefined
  /** Of outputs that are kept. */
  readonly maxBytes?: number
  /** How long code that was interrupted may take to end. */
  readonly settleMs?: number
  readonly storeHistory?: boolean
  readonly onProgress?: (progress: Progress) => void
  /** 0 switches progress off. */
  readonly progressIntervalMs?: number
  /** Each new output, or the new piece of one, as far as it was kept. */
  readonly onOutput?: (output: Output) => void
  /** All outputs that there are, whenever they change. */
  readonly onChange?: RunRecordOptions['onChange']
}

const MAX_WAIT_MS = 30_000
const SETTLE_MS = 5_000
const PROGRESS_MS = 5_000

/** Runs code in a kernel and answers within the timeout and the settling time. Throws a `ToolError` when nothing was sent. */
export async function runCode(options: RunOptions): Promise<ExecutionResult> {
  const { connection, timeoutMs, signal } = options
  const record = createRunRecord(options)
  const begun = performance.now()
  const elapsedMs = () => performance.now() - begun
  const stopProgress = startProgress(options, record, elapsedMs)
  try {
    const endTurn = await waitForTurn(connection, { waitMs: Math.min(timeoutMs, MAX_WAIT_MS), signal })
    try {
      const stopped = await read(options, record, elapsedMs)
      return toResult(record, toStatus(record, stopped), elapsedMs)
    } finally {
      endTurn()
    }
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error
    record.note(NOT_SENT)
    return toResult(record, 'cancelled', elapsedMs)
  } finally {
    stopProgress()
  }
}

/** Sends the code and reads what comes of it, to its end or to ours. */
async function read(
  options: RunOptions,
  record: RunRecord,
  elapsedMs: () => number,
): Promise<Stop | undefined> {
  const {
    connection,
    code,
    timeoutMs,
    signal,
    interrupt,
    settleMs = SETTLE_MS,
    storeHistory = true,
  } = options
  const { hasStarted, note } = record
  const remainingMs = timeoutMs - elapsedMs()
  const brake = createBrake({
    timeoutMs: remainingMs,
    settleMs,
    signal,
    interrupt,
    hasStarted,
    elapsedMs,
    note,
  })
  let isSent = true
  try {
    const reading = connection.execute(code, {
      signal: brake.reading,
      sendUnless: brake.pulled,
      storeHistory,
    })
    for await (const event of reading) {
      record.add(event)
      if (event.type === 'started') brake.started()
    }
    await brake.settled()
  } catch (error) {
    if (!brake.pulled.aborted) throw error
    isSent = false
  } finally {
    brake.release()
  }
  if (!record.ending()) note(isSent ? (hasStarted() ? stillBusy(settleMs) : STILL_QUEUED) : NOT_SENT)
  return brake.stopped()
}

function startProgress(
  { onProgress, progressIntervalMs = PROGRESS_MS }: RunOptions,
  record: RunRecord,
  elapsedMs: () => number,
): () => void {
  if (!onProgress || progressIntervalMs <= 0) return () => undefined
  const timer = setInterval(() => {
    const newest = record.newest()
    onProgress({
      seconds: elapsedMs() / 1000,
      outputs: record.outputs.count(),
      ...(newest && { newest: newestText(newest) }),
    })
  }, progressIntervalMs)
  return () => clearInterval(timer)
}

function toStatus(record: RunRecord, stopped: Stop | undefined): ExecutionStatus {
  const ending = record.ending()
  if (ending?.type === 'lost') return 'lost'
  return stopped ?? (ending?.status === 'ok' ? 'ok' : 'error')
}

function toResult(record: RunRecord, status: ExecutionStatus, elapsedMs: () => number): ExecutionResult {
  return {
    status,
    outputs: record.outputs.outputs(),
    executionCount: record.executionCount(),
    seconds: elapsedMs() / 1000,
    notes: record.notes(),
  }
}

const NOT_SENT = '[Nothing was sent to the kernel]'
const STILL_QUEUED =
  '[The code was sent, and the kernel had not begun it: it may still run. restart_notebook clears what is queued; interrupt_kernel stops only what runs now.]'

function stillBusy(settleMs: number): string {
  return `[The code had not ended ${settleMs / 1000} s after the interrupt: the kernel is still busy with it, or with what it printed. Call interrupt_kernel to interrupt it again, or restart_notebook to stop it, which loses all variables.]`
}
