import { CallerError, type FieldError, type Refusal } from '@quire/kit/errors'

/** What can go wrong between a caller and a server, by its `error_code`: the kind of refusal and its HTTP status. */
const CODES = Object.freeze({
  SERVER_NOT_FOUND: ['not_found', 404],
  SERVER_ALREADY_RUNNING: ['conflict', 400],
  SERVER_NOT_RUNNING: ['conflict', 400],
  SERVER_CRASHED: ['unavailable', 503],
  /** It was there when the call began. */
  SERVER_LOST: ['unavailable', 503],
  /** Its limits of calls in flight and in the queue are reached. */
  SERVER_BUSY: ['unavailable', 503],
  /** It has failed so often that it is left alone for a while. */
  CIRCUIT_OPEN: ['unavailable', 503],
  START_FAILED: ['internal', 500],
  TOOL_NOT_FOUND: ['not_found', 404],
  /** Its definition has changed since it was approved, and it is pinned. */
  TOOL_BLOCKED: ['scope', 403],
  NOT_FOUND: ['not_found', 404],
  VALIDATION_ERROR: ['validation', 400],
  TIMEOUT_ERROR: ['unavailable', 504],
  CANCELLED: ['unavailable', 503],
  CONFIG_INVALID: ['validation', 400],
  CONFIG_CONFLICT: ['conflict', 400],
  COMMAND_NOT_ALLOWED: ['scope', 400],
  TRANSLATOR_EXISTS: ['conflict', 400],
  TRANSLATOR_NOT_FOUND: ['not_found', 404],
} as const satisfies Record<string, readonly [Refusal, number]>)

export type ComposerErrorCode = keyof typeof CODES

export interface ComposerErrorOptions {
  readonly cause?: unknown
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure with a sentence for the caller: over REST it is the answer, over MCP the error of the request. */
export class ComposerError extends CallerError {
  readonly code: ComposerErrorCode

  constructor(code: ComposerErrorCode, message: string, options: ComposerErrorOptions = {}) {
    const [reason, status] = CODES[code]
    super(reason, message, { ...options, status, code })
    this.name = 'ComposerError'
    this.code = code
  }
}
