/**
 * Why a run failed, in classes that a caller can act upon: `unconfigured` (no key here), `unknown_model`, `refused` (the provider said no to this
 * very request), `rate_limited`, `unavailable` (down, unreachable, cut off, silent), `too_long` (more than the model's window), `garbled` (no sense
 * could be made of the answer), `steps` (the limit of steps was reached), `internal`.
 */
export type AgentFault =
  | 'unconfigured'
  | 'unknown_model'
  | 'refused'
  | 'rate_limited'
  | 'unavailable'
  | 'too_long'
  | 'garbled'
  | 'steps'
  | 'internal'

export interface AgentErrorOptions extends ErrorOptions {
  /** What the provider asks to wait. */
  readonly retryAfterMs?: number | undefined
  /** Nothing came of the request: it may be sent again. */
  readonly isRetryable?: boolean
  /** How often it is worth sending again, where that is less often than usual. */
  readonly mostRetries?: number | undefined
}

/** The message is a whole sentence for the one who prompted: what happened, why, what to do next. It holds no key and no address with one. */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly fault: AgentFault
  readonly retryAfterMs: number | undefined
  readonly isRetryable: boolean
  readonly mostRetries: number | undefined

  constructor(fault: AgentFault, message: string, options: AgentErrorOptions = {}) {
    super(message, options)
    this.fault = fault
    this.retryAfterMs = options.retryAfterMs
    this.isRetryable = options.isRetryable ?? false
    this.mostRetries = options.mostRetries
  }
}
