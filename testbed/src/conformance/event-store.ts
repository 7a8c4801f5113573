import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

interface StoredEvent {
  readonly id: string
  readonly streamId: string
  readonly message: JSONRPCMessage
}

const MAX_EVENTS = 1000

/** The last events of one session, for a client that lost its stream. */
export function createEventStore(): EventStore {
  const events: StoredEvent[] = []
  let count = 0
  return Object.freeze({
    async storeEvent(streamId: string, message: JSONRPCMessage) {
      count += 1
      const id = String(count)
      events.push({ id, streamId, message })
      if (events.length > MAX_EVENTS) events.shift()
      return id
    },
    async getStreamIdForEventId(eventId: string) {
      return events.find(({ id }) => id === eventId)?.streamId
    },
    async replayEventsAfter(
      lastEventId: string,
      { send }: { readonly send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
    ) {
      const last = events.findIndex(({ id }) => id === lastEventId)
      const streamId = events[last]?.streamId
      if (streamId === undefined) throw new Error(`There is no event ${lastEventId}.`)
      for (const event of events.slice(last + 1)) {
        // What primes a stream is stored as well, and is no message.
        if (event.streamId === streamId && 'jsonrpc' in event.message) await send(event.id, event.message)
      }
      return streamId
    },
  })
}
