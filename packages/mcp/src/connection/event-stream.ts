import { type Backlog, createBacklog } from '@quire/kit/stream/backlog'

/** Told to a reader that was too slow: read the snapshot again. */
export interface Dropped {
  readonly type: 'dropped'
  readonly count: number
}

export interface EventStream<Event> {
  emit(event: Event): void
  /** From now on, until the signal or the end. */
  subscribe(signal?: AbortSignal): AsyncIterable<Event | Dropped>
  /** Readers get what is left, then end. */
  end(): void
}

const MAX_WAITING = 1000

/** One writer, any number of readers, each with its own bounded backlog: the oldest events go first. */
export function createEventStream<Event>(): EventStream<Event> {
  const readers = new Set<Backlog<Event | Dropped>>()
  let ended = false

  return Object.freeze({
    emit(event: Event): void {
      for (const reader of readers) if (!reader.push(event)) readers.delete(reader)
    },
    subscribe(signal?: AbortSignal): AsyncIterable<Event | Dropped> {
      const reader = createBacklog<Event | Dropped>({
        maxItems: MAX_WAITING,
        policy: 'drop-oldest',
        onDropped: (count) => ({ type: 'dropped', count }),
        ...(signal && { signal }),
      })
      if (ended) reader.end()
      else readers.add(reader)
      // Also for a reader that never started to read.
      signal?.addEventListener('abort', () => readers.delete(reader), { once: true })
      return reader
    },
    end(): void {
      ended = true
      for (const reader of readers) reader.end()
      readers.clear()
    },
  })
}
