import type { WebSocket } from 'ws'
import type { NotebookDocument } from '../document/document.ts'
import { createLiveDocument } from '../live/live-document.ts'
import type { LiveRoomDeps } from '../live/open-live-room.ts'
import { createRooms } from '../live/rooms.ts'
import { createFollowingDocument } from './following-document.ts'
import { createRoomFiles } from './room-files.ts'
import type { HostedRooms, RoomHost } from './room-host.ts'

/** The rooms that we hold ourselves for notebooks of a server without any. */
export interface OwnRooms {
  connect(path: string): Promise<WebSocket>
  /** The notebook in its room while that is open, else in its file. */
  follow(file: NotebookDocument): NotebookDocument
  /** Saves what is open. */
  close(): Promise<void>
}

/** We count among those in a room, and must not keep it open for long. */
const IDLE_MS = 10_000

export function createOwnRooms(deps: LiveRoomDeps, host: RoomHost): OwnRooms {
  const { contents, logger } = deps
  let opening: Promise<HostedRooms> | undefined
  let hosted: HostedRooms | undefined
  const rooms = createRooms({ ...deps, connect, idleMs: IDLE_MS })

  async function connect(path: string): Promise<WebSocket> {
    opening ??= host(createRoomFiles(contents))
    hosted = await opening
    return hosted.connect(path)
  }

  return Object.freeze({
    connect,
    follow(file: NotebookDocument) {
      const { path } = file
      return createFollowingDocument({
        file,
        isLive: () => hosted?.isOpen(path) ?? false,
        openLive: () => createLiveDocument({ path, rooms, contents, logger }),
        logger,
      })
    },
    async close() {
      await rooms.close()
      await hosted?.close()
    },
  })
}
