import type { Logger } from '@quire/kit/log'
import type { After, Listener } from '../document/file-watch.ts'
import type { LiveRoom } from './open-live-room.ts'
import type { RoomKeeper } from './room-keeper.ts'

const SETTLE_MS = 100

/** Tells listeners when a live document has changed. While there are any, the connection is kept. */
export interface LiveWatch {
  add(listener: Listener): () => void
  close(): void
}

export interface LiveWatchOptions {
  readonly path: string
  readonly keeper: RoomKeeper
  readonly logger: Logger
  readonly after: After
}

export function createLiveWatch({ path, keeper, logger, after }: LiveWatchOptions): LiveWatch {
  const listeners = new Set<Listener>()
  let changed: LiveRoom | undefined
  let told: string | undefined
  let cancelTelling: (() => void) | undefined
  let stop: (() => void) | undefined

  function start(): void {
    const letGo = keeper.hold()
    const leave = keeper.onChange((room) => {
      changed = room
      cancelTelling ??= after(SETTLE_MS, tell)
    })
    stop = () => {
      letGo()
      leave()
      cancelTelling?.()
      cancelTelling = undefined
      stop = undefined
    }
    keeper.use().then(
      (room) => {
        told ??= room.reader.snapshot().revision
      },
      (error: unknown) => logger.debug({ err: error, path }, 'a watched notebook is away'),
    )
  }

  function tell(): void {
    cancelTelling = undefined
    try {
      const snapshot = changed?.reader.snapshot()
      if (!snapshot || snapshot.revision === told) return
      told = snapshot.revision
      for (const listener of listeners) listener(snapshot)
    } catch (error) {
      logger.warn({ err: error, path }, 'a change of a notebook could not be told')
    }
  }

  return Object.freeze({
    add(listener: Listener) {
      listeners.add(listener)
      if (listeners.size === 1) start()
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop?.()
      }
    },
    close() {
      listeners.clear()
      stop?.()
    },
  })
}
