import type { Logger } from '../log.ts'
import type { OnMessage } from '../store/store.ts'
import type { LoggedEvent, NewEvent } from './event-log.ts'
import type { EventTable } from './event-table.ts'
import { createTail, type Reader, type Tail } from './tail.ts'

const STREAMS_PER_QUERY = 500
const RETRY_MS = 500

export type TailsOptions<Event extends NewEvent> = {
  table: EventTable<Event>
  listen(onMessage: OnMessage): () => void
  logger: Pick<Logger, 'warn'> | undefined
}

export type SubscriptionOptions = {
  after: number | undefined
  last: number | undefined
  signal: AbortSignal | undefined
}

/** The streams that somebody in this process reads. Nobody listens to the store while there are none. */
export function createTails<Event extends NewEvent>({ table, listen, logger }: TailsOptions<Event>) {
  const tails = new Map<string, { tail: Tail<Event>; readers: number }>()
  let stopListening: (() => void) | undefined
  let retry: NodeJS.Timeout | undefined

  async function* subscribe(
    stream: string,
    { after, last, signal }: SubscriptionOptions,
  ): AsyncGenerator<LoggedEvent<Event>> {
    if (signal?.aborted) return
    const entry = acquire(stream)
    const reader: Reader = { wake: () => undefined, signal }
    const onAbort = () => reader.wake()
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      let cursor = await entry.tail.start(after, last)
      for (;;) {
        const events = await entry.tail.next(cursor, reader)
        if (events.length === 0) return
        for (const event of events) {
          if (signal?.aborted) return
          yield event
          cursor = event.seq
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort)
      release(stream, entry)
    }
  }

  function acquire(stream: string) {
    stopListening ??= listen(onMessage)
    const known = tails.get(stream)
    const entry = known?.tail.isRemoved() === false ? known : { tail: createTail(stream, table), readers: 0 }
    tails.set(stream, entry)
    entry.readers++
    return entry
  }

  function release(stream: string, entry: { readers: number }): void {
    entry.readers--
    if (entry.readers > 0 || tails.get(stream) !== entry) return
    tails.delete(stream)
    if (tails.size > 0) return
    stopListening?.()
    stopListening = undefined
  }

  function onMessage(stream: string | null): void {
    const refreshed = stream === null ? refreshAll() : tails.get(stream)?.tail.refresh()
    refreshed?.catch(retryLater)
  }

  /** One query for all, then one for each stream that has changed. */
  async function refreshAll(): Promise<void> {
    const streams = [...tails.keys()]
    for (let start = 0; start < streams.length; start += STREAMS_PER_QUERY) {
      const some = streams.slice(start, start + STREAMS_PER_QUERY)
      const heads = await table.readHeads(some)
      for (const stream of some) if (tails.get(stream)?.tail.isBehind(heads)) onMessage(stream)
    }
  }

  /** The store may be away: readers wait for it rather than learn of it. */
  function retryLater(error: unknown): void {
    if (retry !== undefined || tails.size === 0) return
    logger?.warn({ err: error }, 'new events could not be read; trying again')
    retry = setTimeout(() => {
      retry = undefined
      onMessage(null)
    }, RETRY_MS).unref()
  }

  return Object.freeze({ subscribe })
}
