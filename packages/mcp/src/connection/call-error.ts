import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { ConnectionError, messageOf } from './errors.ts'
import { refusalOf, refusalText } from './http-refusal.ts'
import { STREAM_ENDED } from './http-transport.ts'

export interface CallFacts {
  readonly server: string
  /** What was asked, such as `tool "add"`. */
  readonly what: string
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Why the connection ended, if it has. */
  readonly ending: ConnectionError | undefined
}

/** Says what became of a call. An error that the server itself answered stays as it is. */
export function toCallError(error: unknown, facts: CallFacts): Error {
  const { server, what, signal, timeoutMs, ending } = facts
  if (error instanceof ConnectionError) return error
  if (error instanceof ProtocolError && error.data !== STREAM_ENDED) return error
  if (signal?.aborted) {
    return new ConnectionError('aborted', `The call of ${what} was cancelled.`, { cause: signal.reason })
  }
  const refusal = refusalOf(error)
  if (refusal) {
    const { status, retryAfterSeconds } = refusal
    const text = `MCP server "${server}" refused the call of ${what} with ${refusalText(refusal)}`
    return new ConnectionError('refused', text, { cause: error, status, retryAfterSeconds })
  }
  if (ending) {
    const { fault, stderr, exitCode, signal: killedBy } = ending
    const text = `The call of ${what} has no answer: ${ending.message}`
    return new ConnectionError(fault, text, { cause: ending, stderr, exitCode, signal: killedBy })
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const text = `MCP server "${server}" did not answer the call of ${what} within ${timeoutMs / 1000} seconds; it was told to stop.`
    return new ConnectionError('timeout', text, { cause: error })
  }
  if (error instanceof SdkError && INVALID.has(error.code)) {
    const text = `MCP server "${server}" answered the call of ${what} with something we cannot use: ${error.message}.`
    return new ConnectionError('invalid-answer', text, { cause: error })
  }
  const text = `The call of ${what} has no answer: the connection to MCP server "${server}" broke (${messageOf(error)}).`
  return new ConnectionError('lost', text, { cause: error })
}

const INVALID: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
])
