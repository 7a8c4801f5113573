import { randomUUID } from 'node:crypto'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { type Notebook, NotebookFault } from '../notebook/nbformat.ts'
import type { Peer } from '../socket/peer.ts'
import type { FileIds } from './file-ids.ts'
import type { History } from './history.ts'
import type { LiveDocument, LiveTiming } from './live-document.ts'
import type { NotebookFiles } from './notebook-file.ts'
import type { Room } from './room.ts'

export interface RoomsOptions {
  readonly fileIds: FileIds
  readonly files: NotebookFiles
  readonly history: History
  readonly logger: Logger
  readonly timing: RoomTiming
  readonly maxRooms: number
  readonly maxPeersPerRoom: number
}

export interface RoomTiming extends LiveTiming {
  /** From the last client's leave until the room is let go. */
  readonly lingerMs: number
}

/** The notebooks that are open, each once. */
export interface Rooms {
  /** Of this run of the server: clients of another have to begin anew. */
  readonly sessionId: string
  enter(peer: Peer, fileId: string, sessionId: string | undefined): Promise<void>
  isOpen(fileId: string): boolean
  /** Where clients show who they are, whichever notebooks they have open. */
  enterLobby(peer: Peer): Promise<void>
  /** So that the file says what the room does. */
  flush(path: string): Promise<void>
  /** False where no room is open, and the file is to be written instead. */
  replace(path: string, notebook: Notebook): Promise<boolean>
  move(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Saves all of them. */
  close(): Promise<void>
}

interface OpenNotebook {
  readonly room: Room
  readonly document: LiveDocument
}

const CLOSE = Object.freeze({ goingAway: 1001, unknownSession: 1003, failed: 4500, gone: 4404, full: 1013 })
const GOING_AWAY = 'the server is going away'

export function createRooms(options: RoomsOptions): Rooms {
  const { fileIds, files, history, logger, timing, maxRooms, maxPeersPerRoom } = options
  const sessionId = randomUUID()
  const rooms = new Map<string, Promise<OpenNotebook>>()
  const lingering = new Map<string, NodeJS.Timeout>()
  let lobby: Promise<Room> | undefined

  function notebookOf(fileId: string): Promise<OpenNotebook> {
    const open = rooms.get(fileId)
    if (open) return open
    if (rooms.size >= maxRooms)
      throw new CallerError('unavailable', `${rooms.size} notebooks are open, and no more can be.`)
    const opening = openNotebook(fileId)
    rooms.set(fileId, opening)
    opening.catch(() => rooms.delete(fileId))
    return opening
  }

  // What rooms are made of is loaded with the first of them: a start waits for none.
  async function openNotebook(fileId: string): Promise<OpenNotebook> {
    const [{ openLiveDocument }, { createRoom }] = await Promise.all([
      import('./live-document.ts'),
      import('./room.ts'),
    ])
    const document = await openLiveDocument({
      fileId,
      path: () => fileIds.pathOf(fileId),
      files,
      history,
      logger,
      timing,
      onGone: () => void dismiss(fileId, CLOSE.gone, 'The notebook was deleted.'),
    })
    return { document, room: createRoom({ document, logger, onEmpty: () => letGoLater(fileId) }) }
  }

  async function openLobby(): Promise<Room> {
    const [{ createPresenceDocument }, { createRoom }] = await Promise.all([
      import('./presence-document.ts'),
      import('./room.ts'),
    ])
    return createRoom({ document: createPresenceDocument(), logger, onEmpty: () => undefined })
  }

  function letGoLater(fileId: string): void {
    clearTimeout(lingering.get(fileId))
    lingering.set(fileId, setTimeout(() => void letGo(fileId), timing.lingerMs).unref())
  }

  async function letGo(fileId: string): Promise<void> {
    lingering.delete(fileId)
    const open = await rooms.get(fileId)
    if (!open || open.room.size() > 0) return
    await open.document.save()
    if (open.room.size() > 0) return
    // What cannot be saved is not let go of: the disk may have room again later.
    if (open.document.isDirty()) letGoLater(fileId)
    else await dismiss(fileId, CLOSE.goingAway, '')
  }

  async function dismiss(fileId: string, code: number, reason: string): Promise<void> {
    const opening = rooms.get(fileId)
    rooms.delete(fileId)
    clearTimeout(lingering.get(fileId))
    lingering.delete(fileId)
    const open = await opening?.catch(() => undefined)
    open?.room.close(code, reason)
  }

  async function enter(peer: Peer, fileId: string, offered: string | undefined): Promise<void> {
    if (offered !== sessionId) return peer.close(CLOSE.unknownSession, unknownSession(offered))
    const path = await fileIds.pathOf(fileId)
    if (path === undefined)
      return peer.close(CLOSE.gone, 'There is no such notebook. Ask for its session again.')
    try {
      const { room } = await notebookOf(fileId)
      if (room.size() >= maxPeersPerRoom) return peer.close(CLOSE.full, 'Too many clients are in this room.')
      clearTimeout(lingering.get(fileId))
      lingering.delete(fileId)
      room.join(peer)
    } catch (error) {
      refuse(peer, error)
    }
  }

  function refuse(peer: Peer, error: unknown): void {
    if (error instanceof NotebookFault) peer.close(CLOSE.failed, `Unreadable notebook: ${error.message}.`)
    else if (error instanceof CallerError && error.problem.status === 404)
      peer.close(CLOSE.gone, error.message)
    else if (error instanceof CallerError) peer.close(CLOSE.full, error.message)
    else {
      logger.error({ err: error }, 'a notebook could not be opened')
      peer.close(CLOSE.failed, 'The notebook could not be opened. The log of the server has the cause.')
    }
  }

  async function openDocumentAt(path: string): Promise<LiveDocument | undefined> {
    const fileId = fileIds.known(path)
    const open = fileId === undefined ? undefined : await rooms.get(fileId)
    return open?.document
  }

  return Object.freeze({
    sessionId,
    enter,
    isOpen: (fileId: string) => rooms.has(fileId),
    async enterLobby(peer: Peer) {
      lobby ??= openLobby()
      ;(await lobby).join(peer)
    },
    async flush(path: string) {
      await (await openDocumentAt(path))?.save()
    },
    async replace(path: string, notebook: Notebook) {
      const document = await openDocumentAt(path)
      await document?.replace(notebook)
      return document !== undefined
    },
    move: fileIds.move,
    async remove(path: string) {
      for (const fileId of await fileIds.remove(path)) {
        await dismiss(fileId, CLOSE.gone, 'The notebook was deleted.')
        await history.remove(fileId)
      }
    },
    async close() {
      ;(await lobby)?.close(CLOSE.goingAway, GOING_AWAY)
      for (const timer of lingering.values()) clearTimeout(timer)
      for (const [fileId, opening] of rooms) {
        const open = await opening.catch(() => undefined)
        if (open?.document.isDirty()) await open.document.save()
        await dismiss(fileId, CLOSE.goingAway, GOING_AWAY)
      }
    },
  })
}

/** As the collaboration server 5.0.0 puts it. */
function unknownSession(offered: string | undefined): string {
  // A close frame has 123 bytes for its reason.
  return JSON.stringify({
    reason: 'unknown_session',
    sessionId: offered?.slice(0, 40) ?? null,
    reloadable: true,
  })
}
