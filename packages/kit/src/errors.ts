/**
 * Why a request was refused, with the status it is refused with. A service may pick another body for a reason, never another meaning.
 * Its order is the order in which a request is looked at.
 */
export const REFUSALS = Object.freeze({
  path_shape: 400,
  host: 421,
  origin: 403,
  token_missing: 401,
  token_invalid: 401,
  token_twice: 400,
  token_throttled: 429,
  scope: 403,
  rate_limit: 429,
  content_type: 415,
  body_size: 413,
  body_shape: 400,
  body_syntax: 400,
  validation: 422,
  not_found: 404,
  method: 405,
  conflict: 409,
  unavailable: 503,
  internal: 500,
} as const)

export type Refusal = keyof typeof REFUSALS

/** What a service writes its error body from. */
export interface Problem {
  readonly status: number
  readonly reason: Refusal
  /** One or two sentences for the caller: what happened, why, what to do next. */
  readonly detail: string
  /** The faults one by one, where there can be several. */
  readonly errors?: readonly FieldError[]
  /** A service's own code for machines. */
  readonly code?: string
}

export interface FieldError {
  /** Where the fault is, such as `body.members[0].name`. */
  readonly path: string
  readonly message: string
}

export interface CallerErrorOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly errors?: readonly FieldError[]
  readonly code?: string
  readonly cause?: unknown
}

/**
 * An error with a text for the caller. Whatever else is thrown is ours: it is logged with its cause and shown as a plain 500.
 */
export class CallerError extends Error {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>

  constructor(reason: Refusal, detail: string, options: CallerErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'CallerError'
    this.headers = options.headers ?? {}
    this.problem = Object.freeze({
      status: options.status ?? REFUSALS[reason],
      reason,
      detail,
      ...(options.errors && { errors: options.errors }),
      ...(options.code && { code: options.code }),
    })
  }
}
