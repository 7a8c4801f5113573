import type { ExecutionResult } from '../../execution/execution-result.ts'
import { newestText } from '../../execution/newest-text.ts'
import { type RunOptions, runCode } from '../../execution/run-code.ts'
import type { ReadyKernel } from '../../workspace/notebook-kernel.ts'
import type { ToolContext } from '../tool-context.ts'
import { type Batch, createBatches } from './execution-batches.ts'

export interface RunRequest {
  readonly kernel: ReadyKernel
  /** Whose kernel it is. */
  readonly notebookName?: string | undefined
  readonly code: string
  readonly timeoutSeconds: number
  /** Seconds; 0 or less for no progress at all. */
  readonly progressInterval: number
  /** Tells whoever waits how it goes. */
  readonly report: Report
  readonly storeHistory?: boolean
  /** Shown to others while they come. */
  readonly onChange?: RunOptions['onChange']
}

export type Report = (seconds: number, message: string) => void

export interface KernelRun {
  readonly result: ExecutionResult
  readonly batches: readonly Batch[]
}

/** What comes of code that has nothing in it. */
export const NOTHING: ExecutionResult = Object.freeze({
  status: 'ok',
  outputs: [],
  executionCount: null,
  seconds: 0,
  notes: [],
})

/** Outputs may come by the thousand, and whoever waits reads none of them faster. */
const LEAST_SECONDS_BETWEEN = 0.2

export async function runInKernel({ hooks, signal }: ToolContext, request: RunRequest): Promise<KernelRun> {
  const { kernel, notebookName, code, timeoutSeconds, progressInterval, storeHistory = true } = request
  const batches = createBatches()
  const report = progressInterval > 0 ? throttle(request.report) : () => undefined
  const begun = performance.now()
  const call = { code, kernelId: kernel.kernelId, notebook: notebookName }
  const result = await hooks.aroundExecution(call, () =>
    runCode({
      connection: kernel.connection,
      interrupt: () => kernel.interrupt(),
      code,
      timeoutMs: Math.ceil(timeoutSeconds * 1000),
      signal,
      storeHistory,
      onChange: request.onChange,
      progressIntervalMs: Math.max(0, progressInterval) * 1000,
      onProgress: ({ seconds, outputs, newest }) =>
        report(
          seconds,
          `${seconds.toFixed(1)}s elapsed, ${outputs} output(s) so far${newest ? `: ${newest}` : ''}`,
        ),
      onOutput(output) {
        const seconds = (performance.now() - begun) / 1000
        batches.add(seconds)
        report(seconds, newestText(output))
      },
    }),
  )
  return { result, batches: batches.all() }
}

/** Progress of one execution: the seconds that have passed of those that it may take. */
export function reportSeconds({ progress }: Pick<ToolContext, 'progress'>, timeoutSeconds: number): Report {
  return (seconds, message) =>
    progress({ progress: Math.min(seconds, timeoutSeconds), total: timeoutSeconds, message })
}

function throttle(report: Report): Report {
  let last = Number.NEGATIVE_INFINITY
  return (seconds, message) => {
    if (seconds - last < LEAST_SECONDS_BETWEEN) return
    last = seconds
    report(seconds, message)
  }
}
