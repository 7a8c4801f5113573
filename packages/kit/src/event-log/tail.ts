import type { LoggedEvent, NewEvent } from './event-log.ts'
import type { EventTable } from './event-table.ts'

const BATCH = 128
/** The newest events, kept for all readers that keep up. The others read from the table. */
const WINDOW = 256

/** One who reads; woken when there is something to look at. */
export type Reader = { wake(): void; readonly signal: AbortSignal | undefined }

export type Tail<Event extends NewEvent> = ReturnType<typeof createTail<Event>>

/** The end of one stream as all its readers in this process share it: one query for each batch, however many they are. */
export function createTail<Event extends NewEvent>(stream: string, table: EventTable<Event>) {
  let head = 0
  let window: LoggedEvent<Event>[] = []
  let isRemoved = false
  let refreshing: Promise<void> | undefined
  let isStale = false
  const waiting = new Set<Reader>()
  const readings = new Map<number, Promise<LoggedEvent<Event>[]>>()

  const ready = table.readHeads([stream]).then((heads) => {
    head = heads.get(stream) ?? 0
  })
  // Every reader awaits it as well.
  ready.catch(() => undefined)

  /** Reads what is new, once for all who ask meanwhile. */
  function refresh(): Promise<void> {
    isStale = true
    refreshing ??= readOn().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function readOn(): Promise<void> {
    await ready
    while (isStale && !isRemoved) {
      isStale = false
      const events = await table.readAfter(stream, head, BATCH)
      const newest = events.at(-1)
      if (newest === undefined) {
        isRemoved = head > 0 && ((await table.readHeads([stream])).get(stream) ?? 0) < head
      } else {
        head = newest.seq
        window = [...window, ...events].slice(-WINDOW)
        isStale ||= events.length === BATCH
      }
      if (newest !== undefined || isRemoved) wakeAll()
    }
  }

  function wakeAll(): void {
    const woken = [...waiting]
    waiting.clear()
    for (const reader of woken) reader.wake()
  }

  /** Readers that stand at the same place share one query. */
  function readTable(cursor: number): Promise<LoggedEvent<Event>[]> {
    const reading =
      readings.get(cursor) ??
      table.readAfter(stream, cursor, BATCH).finally(() => {
        readings.delete(cursor)
      })
    readings.set(cursor, reading)
    return reading
  }

  return Object.freeze({
    refresh,
    isRemoved: () => isRemoved,
    isBehind: (heads: ReadonlyMap<string, number>) => (heads.get(stream) ?? 0) !== head,

    /** The number after which a reader begins. */
    async start(after: number | undefined, last: number | undefined): Promise<number> {
      await ready
      if (last !== undefined) return Math.max(0, head - last)
      // A number that we have not seen yet may be news, or of a stream that is no more.
      if (after !== undefined && after > head) await refresh()
      return Math.min(after ?? 0, head)
    },

    /** Some events after the cursor, as soon as there are any; nothing when the reader is to stop. */
    async next(cursor: number, reader: Reader): Promise<readonly LoggedEvent<Event>[]> {
      while (!reader.signal?.aborted && !isRemoved) {
        if (cursor < head) {
          const index = cursor + 1 - (window[0]?.seq ?? 0)
          const isKept = window[index]?.seq === cursor + 1
          const events = isKept ? window.slice(index) : await readTable(cursor)
          if (events.length > 0) return events
          await refresh()
        } else {
          const woken = Promise.withResolvers<void>()
          reader.wake = woken.resolve
          waiting.add(reader)
          await woken.promise
          waiting.delete(reader)
        }
      }
      return []
    },
  })
}
