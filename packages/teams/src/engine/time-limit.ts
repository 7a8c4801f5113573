/** Unlike `AbortSignal.timeout` it can be ended, and then holds nothing: a task may be allowed a day and be done at once. */
export interface TimeLimit {
  /** Aborted with a `TimeoutError`. */
  readonly signal: AbortSignal
  end(): void
}

export function startTimeLimit(ms: number): TimeLimit {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new DOMException('The time is over.', 'TimeoutError')), ms)
  return Object.freeze({ signal: control.signal, end: () => clearTimeout(timer) })
}
