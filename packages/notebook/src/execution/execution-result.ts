import type { Output } from '../document/nbformat.ts'

/** How an execution ended. `error` is an exception in the code: the traceback is among the outputs. */
export type ExecutionStatus = 'ok' | 'error' | 'timeout' | 'cancelled' | 'lost'

export interface ExecutionResult {
  readonly status: ExecutionStatus
  /** In the order of the kernel, ready for the notebook. */
  readonly outputs: readonly Output[]
  /** The kernel's own. */
  readonly executionCount: number | null
  readonly seconds: number
  /** What the caller should know beside the outputs: an interrupt, a replaced kernel, outputs beyond the bound, a lost connection. */
  readonly notes: readonly string[]
}
