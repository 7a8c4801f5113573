import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Hono } from 'hono'
import { z } from 'zod'
import { isNotebookPath } from '../contents/model.ts'
import { decodeApiPath, parseApiPath } from '../folder/api-path.ts'
import { type Folder, notFound } from '../folder/folder.ts'
import { readBody } from '../read-body.ts'
import type { Sockets } from '../socket/sockets.ts'
import type { FileIds } from './file-ids.ts'
import type { Rooms } from './rooms.ts'

export interface RoomParts {
  readonly folder: Folder
  readonly fileIds: FileIds
  readonly rooms: Rooms
  readonly sockets: Sockets
}

const SESSION = '/api/collaboration/session/'
const Session = z.object({ format: z.string(), type: z.string() })
const NOTEBOOK_ROOM = 'json:notebook:'
/** JupyterLab opens it beside those of its notebooks, and without a session. */
const LOBBY = 'JupyterLab:globalAwareness'

/** `/api/collaboration`: where a notebook's room is, and the room itself. */
export function mountRooms(app: Hono<ServiceEnv>, { folder, fileIds, rooms, sockets }: RoomParts): void {
  app.put(`${SESSION}*`, async (c) => {
    const path = parseApiPath(decodeApiPath(new URL(c.req.url).pathname.slice(SESSION.length)))
    const body = await readBody(c, Session)
    if (body?.format !== 'json' || body.type !== 'notebook' || !isNotebookPath(path))
      throw new CallerError(
        'validation',
        'Rooms are for notebooks: send {"format": "json", "type": "notebook"}.',
        {
          status: 400,
        },
      )
    // The server that this one is like says yes to a file that is not there, and its rooms suffer from it.
    if (!(await folder.exists(path))) throw notFound(path)
    const { id, isNew } = await fileIds.idOf(path)
    const session = { format: body.format, type: body.type, fileId: id, sessionId: rooms.sessionId }
    return c.json(session, isNew ? 201 : 200)
  })

  app.get('/api/collaboration/room/:room', (c) => {
    const room = c.req.param('room')
    if (room === LOBBY) return sockets.accept(c, rooms.enterLobby)
    const fileId = room.startsWith(NOTEBOOK_ROOM) ? room.slice(NOTEBOOK_ROOM.length) : ''
    return sockets.accept(c, (peer) => rooms.enter(peer, fileId, c.req.query('sessionId')))
  })
}
