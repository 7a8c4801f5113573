import type { Redactor } from '@quire/kit/redact'
import { LOG_LEVELS, type LogBook, type LogFilter, type LogLevel, type LogLine } from './log-book.ts'

export interface LogBookOptions {
  /** Servers write what they like, their own secrets among it. */
  readonly redactor: Pick<Redactor, 'text'>
  /** How many lines are kept. */
  readonly capacity?: number
  /** How many bytes of lines are kept, as they are sent. */
  readonly maxBytes?: number
  /** In characters; what is longer is cut, and says so. */
  readonly maxLineLength?: number
  readonly now?: () => Date
}

interface KeptLine {
  readonly level: LogLevel
  readonly server: string
  /** In JSON, one copy for all readers. */
  readonly line: Buffer
}

/** Holds a place in the book and no lines of its own, so that any number of slow readers cost next to nothing. */
interface Reader {
  readonly filter: LogFilter
  /** The line to look at next. */
  nextId: number
  /** How many that fit were let go of before it came to them. */
  dropped: number
  wake: () => void
}

const DEFAULT_CAPACITY = 10_000
const DEFAULT_BYTES = 16 * 1024 * 1024
const DEFAULT_LINE_LENGTH = 8_192

export function createLogBook(options: LogBookOptions): LogBook {
  const { redactor, capacity = DEFAULT_CAPACITY, maxBytes = DEFAULT_BYTES } = options
  const { maxLineLength = DEFAULT_LINE_LENGTH, now = () => new Date() } = options
  /** A ring: line `id` stands at `id % capacity`. */
  const kept: (KeptLine | undefined)[] = []
  const readers = new Set<Reader>()
  let keptBytes = 0
  let oldestId = 0
  let nextId = 0

  return Object.freeze<LogBook>({
    write(level, server, message) {
      const content: LogLine = {
        type: 'log',
        id: nextId,
        timestamp: now().toISOString(),
        level,
        server,
        message: redactor.text(message, maxLineLength),
      }
      const entry: KeptLine = { level, server, line: toJson(content) }
      makeRoom(entry.line.byteLength)
      kept[nextId % capacity] = entry
      nextId += 1
      for (const { filter, wake } of readers) if (fits(entry, filter)) wake()
    },
    async *read({ history, ...filter }, signal) {
      const reader: Reader = { filter, nextId: startOf(filter, history), dropped: 0, wake: doNothing }
      const leave = () => reader.wake()
      readers.add(reader)
      signal.addEventListener('abort', leave)
      try {
        while (!signal.aborted) {
          const message = take(reader)
          if (message) yield message
          else await new Promise<void>((resolve) => (reader.wake = resolve))
        }
      } finally {
        signal.removeEventListener('abort', leave)
        readers.delete(reader)
      }
    },
  })

  /** Where the newest lines that fit begin, as many as are asked for. */
  function startOf(filter: LogFilter, history: number): number {
    let start = nextId
    let found = 0
    for (let id = nextId - 1; id >= oldestId && found < history; id -= 1) {
      if (!fits(kept[id % capacity], filter)) continue
      start = id
      found += 1
    }
    return start
  }

  function take(reader: Reader): Buffer | undefined {
    if (reader.dropped > 0) {
      const count = reader.dropped
      reader.dropped = 0
      return toJson({ type: 'dropped', count })
    }
    while (reader.nextId < nextId) {
      const entry = kept[reader.nextId % capacity]
      reader.nextId += 1
      if (entry && fits(entry, reader.filter)) return entry.line
    }
    return undefined
  }

  function makeRoom(bytes: number): void {
    keptBytes += bytes
    while (oldestId < nextId && (nextId - oldestId >= capacity || keptBytes > maxBytes)) letGoOfOldest()
  }

  function letGoOfOldest(): void {
    const entry = kept[oldestId % capacity]
    for (const reader of readers) {
      if (reader.nextId > oldestId) continue
      if (fits(entry, reader.filter)) reader.dropped += 1
      reader.nextId = oldestId + 1
    }
    kept[oldestId % capacity] = undefined
    keptBytes -= entry?.line.byteLength ?? 0
    oldestId += 1
  }
}

function fits(entry: KeptLine | undefined, { server, level }: LogFilter): boolean {
  if (!entry || (server !== undefined && entry.server !== server)) return false
  return level === undefined || LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(level)
}

function toJson(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message))
}

function doNothing(): void {}
