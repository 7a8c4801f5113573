/**
 * not-ready: nothing was sent. lost: the connection broke, the outcome of the call is unknown. timeout, aborted: the server was told to stop.
 * refused: by an HTTP error, or the server does not offer it. invalid-answer: the server broke the protocol. closed: by us.
 */
export type ConnectionFault =
  | 'not-ready'
  | 'lost'
  | 'timeout'
  | 'aborted'
  | 'refused'
  | 'invalid-answer'
  | 'closed'

export interface ConnectionErrorOptions {
  readonly cause?: unknown
  /** The server's last lines on stderr. */
  readonly stderr?: readonly string[] | undefined
  readonly exitCode?: number | null | undefined
  readonly signal?: string | null | undefined
  /** HTTP status, where there was one. */
  readonly status?: number | undefined
  /** The server's `Retry-After`, where there was one. */
  readonly retryAfterSeconds?: number | undefined
}

/** What stood between us and the server. An error that the server itself answered is the SDK's `ProtocolError`, as it came. */
export class ConnectionError extends Error {
  readonly fault: ConnectionFault
  readonly stderr: readonly string[]
  readonly exitCode: number | null
  readonly signal: string | null
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(fault: ConnectionFault, message: string, options: ConnectionErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ConnectionError'
    this.fault = fault
    this.stderr = options.stderr ?? []
    this.exitCode = options.exitCode ?? null
    this.signal = options.signal ?? null
    this.status = options.status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

const MAX_CAUSES = 5

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch says "fetch failed" and keeps the reason in its cause; the SDK wraps that once more.
  let root: Error = error
  for (let depth = 0; depth < MAX_CAUSES && root.cause instanceof Error; depth += 1) root = root.cause
  return root === error ? error.message : `${error.message} (${root.message})`
}
