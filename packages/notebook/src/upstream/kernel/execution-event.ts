import type { Json, MimeBundle, Output } from '../../document/nbformat.ts'

/** What happens to one execution, in the order in which the kernel said it. The last one is `done` or `lost`. */
export type ExecutionEvent =
  /** The kernel has taken it up. Before this nothing of it has run. */
  | { readonly type: 'started'; readonly executionCount: number | null }
  /** Without `transient`; `displayId` is what it held. */
  | { readonly type: 'output'; readonly output: Output; readonly displayId?: string | undefined }
  | {
      readonly type: 'update_display'
      readonly displayId: string
      readonly data: MimeBundle
      readonly metadata: Json
    }
  | { readonly type: 'clear'; readonly wait: boolean }
  /** The code asked for input, which nobody can give here. */
  | { readonly type: 'input_refused'; readonly prompt: string }
  /** The connection broke and is back, told at the end of the execution. The code was not sent again. */
  | { readonly type: 'reconnected'; readonly mayMissOutputs: boolean }
  | {
      readonly type: 'done'
      readonly status: 'ok' | 'error' | 'aborted'
      readonly executionCount: number | null
    }
  /** `died`, `restarted`, `gone` (shut down or culled): the kernel's variables are lost. `disconnected`: the server does not answer any more. */
  | {
      readonly type: 'lost'
      readonly reason: 'died' | 'restarted' | 'gone' | 'disconnected'
      readonly message: string
    }
