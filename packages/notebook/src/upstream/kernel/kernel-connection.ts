import type { ExecutionEvent } from './execution-event.ts'

export type KernelState = 'starting' | 'idle' | 'busy' | 'restarting' | 'dead' | 'unknown'

export interface ExecuteOptions {
  /** Ends the reading of events, not the execution: that is what `interrupt` is for. Aborted before anything was sent, its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** Aborted before anything was sent, nothing is, and its reason is thrown. */
  readonly sendUnless?: AbortSignal | undefined
  /** False keeps it out of the history and leaves the execution count alone. */
  readonly storeHistory?: boolean
}

/** One connection to one kernel. Code is sent at most once, whatever happens to the connection. */
export interface KernelConnection {
  readonly kernelId: string
  /** As far as the kernel has said; `unknown` while there is no connection. */
  state(): KernelState
  /** How long nothing has come. The end of a kernel is not always told: what was long quiet may be gone. */
  quietMs(): number
  /** Whether something runs that did not come from this connection, or whose reader has left. */
  isBusyElsewhere(): boolean
  /** What is sent behind other code cannot be taken back: whoever wants to run code waits for its turn here, and ends it when it is done. */
  takeTurn(signal: AbortSignal): Promise<() => void>
  /** Resolves when the kernel is idle, rejects with the signal's reason, or with a `ToolError` when the kernel cannot be reached or is gone. */
  whenIdle(signal: AbortSignal): Promise<void>
  /** Sent when the reading begins. Throws a `ToolError` when nothing could be sent; whatever happens later is an event. */
  execute(code: string, options?: ExecuteOptions): AsyncIterable<ExecutionEvent>
  close(): Promise<void>
}
