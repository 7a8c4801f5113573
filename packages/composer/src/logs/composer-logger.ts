import { createLogger, type Logger, type LogLevel } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import { isRecord } from '@quire/mcp/json'
import { toLogLevel } from './line-level.ts'
import type { LogBook } from './log-book.ts'

export interface ComposerLoggerOptions {
  /** Where lines have gone so far, and go on going. */
  readonly logger: Logger
  readonly book: Pick<LogBook, 'write'>
  readonly level: LogLevel
  readonly redactor: Redactor
}

const COMPOSER = 'composer'

/**
 * A logger whose lines also stand in the book, as those of the server `composer`. The line of every request is left out there: whoever looks at the logs in a
 * page would otherwise see little but the requests of that page.
 */
export function createComposerLogger({ logger, book, level, redactor }: ComposerLoggerOptions): Logger {
  const destination = { write: (line: string) => writeLine(book, line) }
  return both(logger, createLogger({ level, pretty: false, destination, redactor }))
}

const METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

function both(first: Logger, second: Logger): Logger {
  const write = (method: (typeof METHODS)[number]) =>
    function writeToBoth(...line: unknown[]): void {
      Reflect.apply(first[method], first, line)
      Reflect.apply(second[method], second, line)
    }
  return Object.freeze<Logger>({
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
    vouched: (fields, message) => first.vouched(fields, message),
    child: (bindings) => both(first.child(bindings), second.child(bindings)),
    isLevelEnabled: (level) => first.isLevelEnabled(level) || second.isLevelEnabled(level),
  })
}

/** Of a line of our own logger, redacted by then, what a person reads. */
function writeLine(book: Pick<LogBook, 'write'>, line: string): void {
  const fields: unknown = JSON.parse(line)
  if (!isRecord(fields)) return
  const { level, time: _time, msg, err, ...rest } = fields
  const cause = isRecord(err) && typeof err.message === 'string' ? err.message : undefined
  const parts = [
    typeof msg === 'string' ? msg : undefined,
    cause,
    ...Object.entries(rest).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ]
  book.write(
    toLogLevel(typeof level === 'string' ? level : ''),
    COMPOSER,
    parts.filter((part) => part !== undefined).join(' · '),
  )
}
