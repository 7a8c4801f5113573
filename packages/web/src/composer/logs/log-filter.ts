import type { LogMessage } from '@quire/composer/contract'

export type LogLevel = LogMessage['level']

export const LEVELS: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']

/** A line as it is kept, or a note that lines are missing here. */
export interface LogEntry {
  /** Counts up over everything that this page has seen. */
  readonly sequence: number
  readonly timestamp: string
  readonly level: LogLevel
  readonly server: string
  readonly message: string
  readonly kind: 'line' | 'note'
}

export interface LogFilter {
  /** Empty: all of them. */
  readonly server: string
  /** This one and those above it; empty: all. */
  readonly level: LogLevel | ''
  readonly text: string
}

/** A note belongs to everything. */
export function toPredicate({ server, level, text }: LogFilter): (entry: LogEntry) => boolean {
  const least = level === '' ? 0 : LEVELS.indexOf(level)
  const wanted = new Set(LEVELS.slice(least))
  // Faster than to make every line small, and without a copy of it.
  const pattern = text === '' ? undefined : new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i')
  return (entry) =>
    entry.kind === 'note' ||
    ((server === '' || entry.server === server) &&
      wanted.has(entry.level) &&
      (pattern === undefined || pattern.test(entry.message)))
}
