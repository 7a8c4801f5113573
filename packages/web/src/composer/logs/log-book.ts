import type { LogMessage } from '@quire/composer/contract'
import { LEVELS, type LogEntry, type LogFilter, toPredicate } from './log-filter.ts'

export interface LogView {
  /** Those that fit, oldest first. It changes in place; a new view tells. */
  readonly shown: readonly LogEntry[]
  readonly kept: number
  readonly counts: Readonly<Record<LogMessage['level'], number>>
  readonly servers: readonly string[]
  /** How many came since it was paused. */
  readonly held: number
  readonly isPaused: boolean
  readonly isSearching: boolean
  /** How many entries were taken from the front of `shown` since the page was opened. */
  readonly removed: number
}

export interface LogBookOptions {
  readonly capacity?: number
  readonly maxCharacters?: number
  /** Calls back soon, and not at once. */
  readonly schedule: (work: () => void) => void
  readonly now?: () => number
}

export interface LogBook {
  readonly view: () => LogView
  subscribe(listener: () => void): () => void
  receive(message: unknown): void
  /** What comes next may repeat what is known, or be of another process. */
  reconnect(): void
  filter(filter: LogFilter): void
  pause(isPaused: boolean): void
  clear(): void
}

const CAPACITY = 100_000
const MOST_CHARACTERS = 64_000_000
/** Trimming one by one would move the whole array for each line. */
const SLACK = 1.05
/** Of one slice of filtering; a frame has 16. */
const SLICE_MS = 6
const BETWEEN_CLOCKS = 256
const MOST_SERVERS = 500

/** The last lines, and of them those that fit a filter. What fits is found in small slices, so that no frame is long. */
export function createLogBook({
  capacity = CAPACITY,
  maxCharacters = MOST_CHARACTERS,
  schedule,
  now = () => performance.now(),
}: LogBookOptions): LogBook {
  const lines: LogEntry[] = []
  const servers = new Set<string>()
  const counts = { DEBUG: 0, INFO: 0, WARNING: 0, ERROR: 0, CRITICAL: 0 }
  const listeners = new Set<() => void>()
  let shown: LogEntry[] = []
  let fits: (entry: LogEntry) => boolean = () => true
  let characters = 0
  let nextSequence = 0
  /** The next entry of `lines` to be looked at. */
  let cursor = 0
  let removed = 0
  let pausedAt: number | undefined
  let isScheduled = false
  let resumption: 'none' | 'possible' = 'none'
  let lastId = -1
  let lastTimestamp = ''
  let view = look()

  function look(): LogView {
    return {
      shown,
      kept: lines.length,
      counts: { ...counts },
      servers: [...servers].sort(),
      held: pausedAt === undefined ? 0 : nextSequence - pausedAt,
      isPaused: pausedAt !== undefined,
      isSearching: cursor < end(),
      removed,
    }
  }

  /** Where the lines end that may be shown. */
  function end(): number {
    if (pausedAt === undefined) return lines.length
    const first = lines[0]?.sequence ?? nextSequence
    return Math.max(0, Math.min(lines.length, pausedAt - first))
  }

  function plan(): void {
    if (isScheduled) return
    isScheduled = true
    schedule(work)
  }

  function work(): void {
    isScheduled = false
    trim(capacity)
    forgetShown()
    const until = now() + SLICE_MS
    const last = end()
    while (cursor < last) {
      const entry = lines[cursor]
      cursor += 1
      if (entry && fits(entry)) shown.push(entry)
      if (cursor % BETWEEN_CLOCKS === 0 && now() > until) break
    }
    view = look()
    for (const listener of listeners) listener()
    if (cursor < last) plan()
  }

  function append(entry: Omit<LogEntry, 'sequence'>): void {
    lines.push({ ...entry, sequence: nextSequence })
    nextSequence += 1
    characters += entry.message.length
    if (entry.kind === 'line') {
      counts[entry.level] += 1
      if (servers.size < MOST_SERVERS) servers.add(entry.server)
    }
    if (lines.length > capacity * SLACK || characters > maxCharacters) trim(capacity)
    plan()
  }

  function trim(most: number): void {
    let count = Math.max(0, lines.length - most)
    let over = characters - maxCharacters
    for (let index = 0; index < lines.length && (index < count || over > 0); index += 1) {
      const entry = lines[index]
      if (entry === undefined) break
      over -= entry.message.length
      characters -= entry.message.length
      if (entry.kind === 'line') counts[entry.level] -= 1
      count = Math.max(count, index + 1)
    }
    if (count === 0) return
    lines.splice(0, count)
    cursor = Math.max(0, cursor - count)
  }

  /** What a reader has stopped at stays until it goes on. */
  function forgetShown(): void {
    if (pausedAt !== undefined) return
    const first = lines[0]?.sequence ?? nextSequence
    let count = 0
    while (count < shown.length && (shown[count]?.sequence ?? first) < first) count += 1
    if (count === 0) return
    shown.splice(0, count)
    removed += count
  }

  function note(message: string, timestamp: string): void {
    append({ kind: 'note', timestamp, level: 'WARNING', server: '', message })
  }

  /** Says whether a line is known already, after a connection was made again. */
  function isKnown({ id, timestamp }: LogMessage): boolean {
    if (resumption === 'none') return false
    const isSame = id > lastId || (id === lastId ? timestamp === lastTimestamp : timestamp <= lastTimestamp)
    if (isSame && id <= lastId) return true
    resumption = 'none'
    if (!isSame) note('The composer was started again.', timestamp)
    else if (id > lastId + 1 && lastId >= 0)
      note(`${id - lastId - 1} lines came while this page was not connected.`, timestamp)
    return false
  }

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    receive(message) {
      if (isDropped(message))
        note(
          `${message.count} lines were dropped here: they came faster than they could be sent.`,
          lastTimestamp || new Date().toISOString(),
        )
      if (!isLine(message) || isKnown(message)) return
      const { id, timestamp, level, server, message: text } = message
      lastId = id
      lastTimestamp = timestamp
      append({ kind: 'line', timestamp, level, server, message: text })
    },
    reconnect() {
      resumption = 'possible'
    },
    filter(filter) {
      fits = toPredicate(filter)
      removed = 0
      shown = []
      cursor = 0
      plan()
    },
    pause(isPaused) {
      pausedAt = isPaused ? nextSequence : undefined
      plan()
    },
    clear() {
      lines.length = 0
      shown = []
      cursor = 0
      removed = 0
      characters = 0
      for (const level of LEVELS) counts[level] = 0
      if (pausedAt !== undefined) pausedAt = nextSequence
      plan()
    },
  }
}

function isLine(message: unknown): message is LogMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'log'
}

function isDropped(message: unknown): message is { readonly count: number } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'dropped'
}
