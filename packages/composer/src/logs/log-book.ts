export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** One line of the composer or of a server, as `/ws/logs` sends it. */
export interface LogLine {
  readonly type: 'log'
  /** Counts up without gaps. */
  readonly id: number
  /** ISO 8601 with milliseconds and Z. */
  readonly timestamp: string
  readonly level: LogLevel
  /** `composer` for our own. */
  readonly server: string
  readonly message: string
}

export interface LogFilter {
  readonly server?: string | undefined
  /** This level and those above it. */
  readonly level?: LogLevel | undefined
}

/** The last lines, and those to come. */
export interface LogBook {
  write(level: LogLevel, server: string, message: string): void
  /**
   * First up to `history` of the lines that are kept and fit, then live ones until the signal, each a `LogLine` in JSON that all readers share;
   * a reader that is too slow loses the oldest and is told by `{type: "dropped", count}`.
   */
  read(options: LogFilter & { readonly history: number }, signal: AbortSignal): AsyncIterable<Buffer>
}
