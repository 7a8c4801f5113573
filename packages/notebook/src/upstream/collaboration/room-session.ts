import type { WebSocket } from 'ws'
import { z } from 'zod'
import { ToolError } from '../../tool-error.ts'
import { parseServerPath } from '../address.ts'
import { parseModel } from '../parse-model.ts'
import type { JupyterServer } from '../server.ts'

/** Where the live document of a notebook is. It holds for one run of the server, so it is asked for before each connection. */
export interface RoomSession {
  readonly room: string
  readonly sessionId: string
}

const SessionModel = z.object({
  format: z.string(),
  type: z.string(),
  fileId: z.string(),
  sessionId: z.string(),
})
const HANDSHAKE_MS = 10_000

/** Undefined where the server knows no such route, or no such file. */
export async function requestRoomSession(
  server: JupyterServer,
  path: string,
  signal?: AbortSignal,
): Promise<RoomSession | undefined> {
  const url = ['api', 'collaboration', 'session', ...parseServerPath(path)]
  let answer: unknown
  try {
    answer = await server.request('PUT', url, { body: { format: 'json', type: 'notebook' }, signal })
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return undefined
    throw error
  }
  const { format, type, fileId, sessionId } = parseModel(SessionModel, answer, {
    what: 'a collaboration session',
    server,
  })
  return { room: `${format}:${type}:${fileId}`, sessionId }
}

/** The socket of the room. Only ever for a file that is there: to open the room of another one damages the rooms of others. */
export function openRoomSocket(
  server: JupyterServer,
  { room, sessionId }: RoomSession,
  signal?: AbortSignal,
): Promise<WebSocket> {
  return server.openSocket(['api', 'collaboration', 'room', room], {
    query: { sessionId },
    timeoutMs: HANDSHAKE_MS,
    signal,
  })
}
