/**
 * What went wrong, as a word for programs:
 * invalid_argument: the arguments make no sense. not_found: no such notebook, cell, kernel or file. conflict: somebody else changed it, or the name is taken.
 * forbidden: read-only, or outside the fence. busy: the kernel runs something else. dead_kernel: the kernel is gone. unreachable, refused, failing: the notebook server.
 */
export type ToolErrorCode =
  | 'invalid_argument'
  | 'not_found'
  | 'conflict'
  | 'forbidden'
  | 'busy'
  | 'dead_kernel'
  | 'unreachable'
  | 'refused'
  | 'failing'

/** A failure with a text for the caller: what happened, why, and what to do next. Whatever else is thrown is ours. */
export class ToolError extends Error {
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
    this.code = code
  }
}
