import type { Redactor } from '@quire/kit/redact'
import { type Backlog, createBacklog } from '@quire/kit/stream/backlog'
import { LOG_LEVELS, type LogBook, type LogFilter, type LogLine } from './log-book.ts'

export interface LogBookOptions {
  /** Servers write what they like, their own secrets among it. */
  readonly redactor: Pick<Redactor, 'text'>
  /** How many lines are kept. */
  readonly capacity?: number
  /** In characters; what is longer is cut, and says so. */
  readonly maxLineLength?: number
  readonly now?: () => Date
}

type Item = LogLine | { readonly type: 'dropped'; readonly count: number }

interface Reader {
  readonly filter: LogFilter
  readonly backlog: Backlog<Item>
}

const DEFAULT_CAPACITY = 10_000
const DEFAULT_LINE_LENGTH = 8_192
/** A reader has as many lines of its own, beside the history that it asked for, before it loses the oldest. */
const READER_LINES = 5_000

export function createLogBook(options: LogBookOptions): LogBook {
  const { redactor, capacity = DEFAULT_CAPACITY, maxLineLength = DEFAULT_LINE_LENGTH } = options
  const now = options.now ?? (() => new Date())
  /** A ring: line `id` stands at `id % capacity`. */
  const kept: LogLine[] = []
  const readers = new Set<Reader>()
  let nextId = 0

  /** The newest that fit, oldest first. */
  function lastLines(filter: LogFilter, count: number): readonly LogLine[] {
    const found: LogLine[] = []
    const oldest = Math.max(0, nextId - capacity)
    for (let id = nextId - 1; id >= oldest && found.length < count; id -= 1) {
      const line = kept[id % capacity]
      if (line && fits(line, filter)) found.push(line)
    }
    return found.reverse()
  }

  return Object.freeze<LogBook>({
    write(level, server, message) {
      const line: LogLine = Object.freeze({
        type: 'log',
        id: nextId,
        timestamp: now().toISOString(),
        level,
        server,
        message: redactor.text(message, maxLineLength),
      })
      kept[nextId % capacity] = line
      nextId += 1
      for (const { filter, backlog } of readers) if (fits(line, filter)) backlog.push(line)
    },
    async *read({ history, ...filter }, signal) {
      const backlog = createBacklog<Item>({
        policy: 'drop-oldest',
        maxItems: READER_LINES + history,
        onDropped: (count) => ({ type: 'dropped', count }),
        signal,
      })
      const reader = { filter, backlog }
      // Nothing is written between these two, so that no line is missing and none comes twice.
      for (const line of lastLines(filter, history)) backlog.push(line)
      readers.add(reader)
      try {
        yield* backlog
      } finally {
        readers.delete(reader)
      }
    },
  })
}

function fits(line: LogLine, { server, level }: LogFilter): boolean {
  if (server !== undefined && line.server !== server) return false
  return level === undefined || LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level)
}
