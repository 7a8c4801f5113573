import type { Logger } from '@quire/kit/log'
import type { WebSocket } from 'ws'
import type { ContentsPort } from '../document/contents-port.ts'
import type { NotebookDocument } from '../document/document.ts'
import { createFileDocument } from '../document/file-document.ts'
import { createPathLocks } from '../document/path-locks.ts'
import { createOwnRooms } from '../live-route/own-rooms.ts'
import type { RoomHost } from '../live-route/room-host.ts'
import { ToolError } from '../tool-error.ts'
import { requestRoomSession } from '../upstream/collaboration/room-session.ts'
import type { JupyterServer } from '../upstream/server.ts'
import { createLateDocument } from './late-document.ts'
import { createLiveDocument } from './live-document.ts'
import { connectRoom, findNotebook } from './open-live-room.ts'
import { createRooms, type RoomsOptions } from './rooms.ts'

/** The notebooks of one server: live documents where it has them, and files where not. */
export interface Documents {
  /** Nothing is contacted yet. */
  open(path: string): NotebookDocument
  /** Said once: that this server has no live documents. */
  note(): string | undefined
  /** A connection to the notebook's room, for somebody else: the server's, or one of ours where it has none. */
  openRoom(path: string, signal: AbortSignal): Promise<WebSocket>
  close(): Promise<void>
}

export interface DocumentsOptions extends RoomsOptions {
  readonly server: JupyterServer
  readonly contents: ContentsPort
  readonly logger: Logger
  /** Absent: where the server has no rooms, there are none. */
  readonly roomHost?: RoomHost | undefined
}

const GOING_AWAY = 1001
const NO_COLLABORATION =
  '[INFO] The notebook server has no real-time collaboration: edits are written to the file, and an open notebook page shows them when it is reloaded.'

export function createDocuments(options: DocumentsOptions): Documents {
  const { server, contents, logger } = options
  const rooms = createRooms(options)
  const locks = createPathLocks()
  const ownRooms = options.roomHost && createOwnRooms(options, options.roomHost)
  /** Those of others. */
  const relayed = new Set<WebSocket>()
  /** One answer for the whole server, once there is one. */
  let isLive: boolean | undefined
  let asking: Promise<void> | undefined
  let isTold = false

  /** A file that is not there says nothing about the server. */
  async function ask(path: string): Promise<void> {
    await findNotebook(path, contents, undefined)
    const session = await requestRoomSession(server, path)
    if (!session) await findNotebook(path, contents, undefined)
    isLive = session !== undefined
    logger.debug({ server: server.url, isLive }, 'how notebooks of this server are edited')
  }

  async function know(path: string): Promise<void> {
    if (isLive === undefined && asking) await Promise.allSettled([asking])
    if (isLive !== undefined) return
    asking = ask(path)
    await asking
  }

  async function choose(path: string): Promise<NotebookDocument> {
    await know(path)
    if (isLive) return createLiveDocument({ path, rooms, contents, logger })
    const file = createFileDocument({ path, contents, logger, locks })
    return ownRooms ? ownRooms.follow(file) : file
  }

  async function openRoom(path: string, signal: AbortSignal): Promise<WebSocket> {
    await findNotebook(path, contents, signal)
    await know(path)
    const socket = await (isLive ? connectRoom(server, path, signal) : ownRooms?.connect(path))
    if (!socket) throw new ToolError('failing', 'The notebook server has no live documents.')
    relayed.add(socket)
    socket.once('close', () => relayed.delete(socket))
    return socket
  }

  return Object.freeze({
    open: (path: string) => createLateDocument({ path, choose: () => choose(path), logger }),
    note() {
      if (isLive !== false || isTold) return undefined
      isTold = true
      return NO_COLLABORATION
    },
    openRoom,
    async close() {
      for (const socket of relayed) socket.close(GOING_AWAY)
      await rooms.close()
      await ownRooms?.close()
    },
  })
}
