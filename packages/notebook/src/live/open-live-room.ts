import type { Logger } from '@quire/kit/log'
import type { WebSocket } from 'ws'
import type { ContentsPort } from '../document/contents-port.ts'
import { explainFailure } from '../document/file-failure.ts'
import { quote } from '../document/json.ts'
import { ToolError } from '../tool-error.ts'
import { openRoom, type Room } from '../upstream/collaboration/room.ts'
import { openRoomSocket, requestRoomSession } from '../upstream/collaboration/room-session.ts'
import type { JupyterServer } from '../upstream/server.ts'
import { type Authors, createAuthors } from './authors.ts'
import { createNotebookReader, type NotebookReader } from './notebook-reader.ts'

/** Marks what this process writes into live documents. */
export const OWN = Symbol('own edit')

export interface LiveRoom extends Room {
  readonly reader: NotebookReader
  /** Those who write through us. */
  readonly authors: Authors
  /** Whether the file can be written. */
  readonly writable: boolean
}

export interface LiveRoomDeps {
  readonly server: JupyterServer
  readonly contents: ContentsPort
  readonly logger: Logger
  readonly syncMs?: number
  /** To the room; that of the server unless given. The file is there. */
  readonly connect?: (path: string, signal: AbortSignal) => Promise<WebSocket>
}

/** The file is looked for first: to open the room of a file that is not there damages those of others. */
export async function openLiveRoom(path: string, deps: LiveRoomDeps, signal: AbortSignal): Promise<LiveRoom> {
  const { server, logger, syncMs, connect = (at, until) => connectRoom(server, at, until) } = deps
  const { writable } = await findNotebook(path, deps.contents, signal)
  const socket = await connect(path, signal)
  const bounds = syncMs === undefined ? {} : { syncMs }
  const room = await openRoom({ socket, path, logger, ...bounds })
  const reader = createNotebookReader(room.doc)
  try {
    reader.snapshot()
  } catch (error) {
    await room.close()
    throw error
  }
  const authors = createAuthors({ send: room.tell })
  // Their timers must not outlive the connection.
  void room.ended.then(authors.close)
  return Object.freeze({
    ...room,
    reader,
    authors,
    writable,
    async close() {
      authors.close()
      await room.close()
    },
  })
}

/** To the room that the server holds, of a file that is there. */
export async function connectRoom(
  server: JupyterServer,
  path: string,
  signal: AbortSignal,
): Promise<WebSocket> {
  const session = await requestRoomSession(server, path, signal)
  if (session) return openRoomSocket(server, session, signal)
  throw new ToolError(
    'failing',
    `The notebook server at ${server.url} had live documents and has none any more. Connect to it anew.`,
  )
}

/** Throws when there is no such file, or when it is no notebook. */
export async function findNotebook(path: string, contents: ContentsPort, signal: AbortSignal | undefined) {
  const state = await look(path, contents, signal)
  if (state.type === 'notebook') return state
  const text = `${quote(path)} is not a notebook but a ${state.type}. Give the path of a file that ends in .ipynb.`
  throw new ToolError('invalid_argument', text)
}

async function look(path: string, contents: ContentsPort, signal: AbortSignal | undefined) {
  try {
    return await contents.read(path, { content: false, signal })
  } catch (error) {
    throw explainFailure(error, path)
  }
}
