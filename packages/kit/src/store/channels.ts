import type { OnMessage, StoreLogger } from './store.ts'

const CHANNEL = /^[a-z][a-z0-9_]{0,62}$/
/** What PostgreSQL carries in a notification. */
const PAYLOAD_BYTES = 7_999

export type Channels = ReturnType<typeof createChannels>

/** Who listens on which channel. */
export function createChannels(logger?: StoreLogger) {
  const listeners = new Map<string, Set<OnMessage>>()

  function deliver(channel: string, payload: string | null): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(payload)
      } catch (error) {
        logger?.error({ err: error, channel }, 'a listener of the store failed')
      }
    }
  }

  return Object.freeze({
    deliver,
    deliverAll(): void {
      for (const channel of listeners.keys()) deliver(channel, null)
    },
    names: () => [...listeners.keys()],
    isEmpty: () => listeners.size === 0,
    has: (channel: string) => listeners.has(channel),
    /** Returns the function that removes it again. */
    add(channel: string, onMessage: OnMessage): () => void {
      checkChannel(channel)
      // A wrapper, so that one function may listen twice.
      const listener: OnMessage = (payload) => onMessage(payload)
      const group = listeners.get(channel) ?? new Set()
      listeners.set(channel, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0 && listeners.get(channel) === group) listeners.delete(channel)
      }
    },
  })
}

export function checkMessage(channel: string, payload: string): void {
  checkChannel(channel)
  const bytes = Buffer.byteLength(payload)
  if (bytes > PAYLOAD_BYTES || payload.includes('\0'))
    throw new Error(
      `A message on ${channel} must be text without NUL of at most ${PAYLOAD_BYTES} bytes, and this one has ${bytes}: send an id and read the rest.`,
    )
}

function checkChannel(channel: string): void {
  if (!CHANNEL.test(channel))
    throw new Error(`A channel's name must match ${CHANNEL.source}, and ${JSON.stringify(channel)} does not.`)
}
