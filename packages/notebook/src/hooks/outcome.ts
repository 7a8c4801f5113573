import { ToolError } from '../tool-error.ts'

/** A tool fails by throwing, or with a result that says so itself. */
export function isErrorResult(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && result.isError === true
}

/** A word for programs. What is not a `ToolError` is ours, and says nothing outside the log. */
export function errorCode(error: unknown): string {
  if (error instanceof ToolError) return error.code
  return error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'internal'
}
