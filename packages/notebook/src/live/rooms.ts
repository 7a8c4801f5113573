import { findNotebook, type LiveRoomDeps, openLiveRoom } from './open-live-room.ts'
import { createRoomKeeper, type RoomKeeper } from './room-keeper.ts'

/** The rooms of one server: however many have a notebook open, there is one connection to its room. */
export interface Rooms {
  /** `release` gives it back; with the last one the connection is closed. */
  take(path: string): { readonly keeper: RoomKeeper; release(): Promise<void> }
  close(): Promise<void>
}

export interface RoomsOptions extends LiveRoomDeps {
  readonly idleMs?: number
  readonly freshMs?: number
}

export function createRooms(options: RoomsOptions): Rooms {
  const { contents, logger } = options
  const open = new Map<string, { readonly keeper: RoomKeeper; users: number }>()

  function find(path: string) {
    const known = open.get(path)
    if (known) return known
    const keeper = createRoomKeeper({
      ...options,
      path,
      logger,
      open: (signal) => openLiveRoom(path, options, signal),
      findFile: (signal) => findNotebook(path, contents, signal),
    })
    const entry = { keeper, users: 0 }
    open.set(path, entry)
    return entry
  }

  return Object.freeze({
    take(path: string) {
      const entry = find(path)
      entry.users += 1
      let isTaken = true
      return {
        keeper: entry.keeper,
        async release() {
          if (!isTaken) return
          isTaken = false
          entry.users -= 1
          if (entry.users > 0) return
          if (open.get(path) === entry) open.delete(path)
          await entry.keeper.close()
        },
      }
    },
    async close() {
      const all = [...open.values()]
      open.clear()
      await Promise.allSettled(all.map(({ keeper }) => keeper.close()))
    },
  })
}
