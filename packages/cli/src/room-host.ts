import type { RoomHost, RoomHostOptions } from '@quire/embedded/room/room-host'
import type { Logger } from '@quire/kit/log'

/** Holds the rooms of notebooks on servers that have none. Loaded when the first is opened. */
export function createLazyRoomHost(logger: Logger): (files: RoomHostOptions['files']) => Promise<RoomHost> {
  return async function openRooms(files) {
    const { createRoomHost } = await import('@quire/embedded/room/room-host')
    return createRoomHost({ files, logger })
  }
}
