import type { Guards } from '@quire/kit/app/outer-guard'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { closeAll } from '@quire/kit/close-all'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { Hono } from 'hono'
import { V1_PROTOCOL } from './channels/kernel-wire.ts'
import { type Contents, createContents } from './contents/contents.ts'
import { mountContents } from './contents/contents-routes.ts'
import { createDoor } from './door.ts'
import { createErrorAnswer } from './error-answer.ts'
import { createFolder } from './folder/folder.ts'
import { lockFolder } from './folder/folder-lock.ts'
import { type WriteFile, writeFileAtomically } from './folder/write-file.ts'
import type { Kernels } from './kernel/kernel.ts'
import { createFileIds } from './room/file-ids.ts'
import { createHistory } from './room/history.ts'
import { createNotebookFiles } from './room/notebook-file.ts'
import { mountRooms } from './room/room-routes.ts'
import { createRooms, type RoomTiming } from './room/rooms.ts'
import { createRunningKernels } from './running/running-kernels.ts'
import { mountRunning } from './running/running-routes.ts'
import { createSessions } from './running/sessions.ts'
import { createSockets } from './socket/sockets.ts'

export interface EmbeddedOptions {
  /** Made where it is not there. */
  readonly folder: string
  /** What everybody has to present. */
  readonly token: string
  readonly version: string
  /** Absent: a parent application looks at path, Host and Origin. */
  readonly guards?: Guards
  readonly timing?: Partial<RoomTiming>
  readonly bounds?: Partial<EmbeddedBounds>
}

export interface EmbeddedBounds {
  readonly maxMessageBytes: number
  /** What may wait for a client that does not keep up. */
  readonly maxBacklogBytes: number
  readonly maxSockets: number
  readonly maxRooms: number
  readonly maxPeersPerRoom: number
  readonly maxKernels: number
}

export interface EmbeddedDeps {
  readonly kernels: Kernels
  readonly logger: Logger
  /** To files and back whole; another one for a disk that fails. */
  readonly writeFile?: WriteFile
}

/** A notebook server as a service. */
export interface Embedded {
  /** To be served by kit's `serve`, or mounted. */
  readonly app: { fetch(request: Request, env?: object): Response | Promise<Response> }
  /** Sends everybody away from their WebSockets, and saves what is open. */
  drain(): Promise<void>
  /** Saves what is open and ends the kernels. Idempotent. */
  close(): Promise<void>
}

const TIMING: RoomTiming = Object.freeze({
  saveDelayMs: 1_000,
  saveLatestMs: 10_000,
  pollMs: 1_000,
  retryMs: 5_000,
  lingerMs: 60_000,
})
const BOUNDS: EmbeddedBounds = Object.freeze({
  maxMessageBytes: 64 * 1024 * 1024,
  maxBacklogBytes: 128 * 1024 * 1024,
  maxSockets: 500,
  maxRooms: 200,
  maxPeersPerRoom: 50,
  maxKernels: 20,
})
const HEARTBEAT_MS = 30_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * The notebook server for machines without Jupyter: its API, its rooms, kernels of whoever provides them.
 * Throws where another one has the folder open.
 */
export function createEmbedded(options: EmbeddedOptions, deps: EmbeddedDeps): Embedded {
  const { logger, writeFile = writeFileAtomically } = deps
  const bounds = { ...BOUNDS, ...options.bounds }
  const folder = createFolder(options.folder)
  const lock = lockFolder(folder.root)
  const fileIds = createFileIds(folder, writeFile, logger)
  const rooms = createRooms({
    fileIds,
    files: createNotebookFiles(folder, writeFile),
    history: createHistory(folder, writeFile, logger),
    logger,
    timing: { ...TIMING, ...options.timing },
    ...bounds,
  })
  const sockets = createSockets({ ...bounds, logger, heartbeatMs: HEARTBEAT_MS, protocols: [V1_PROTOCOL] })
  const { maxKernels: most } = bounds
  const kernels = createRunningKernels({ kernels: deps.kernels, folder: folder.root, most, logger })
  const sessions = createSessions(kernels)
  const contents = createContents({ folder, rooms, writeFile, logger })

  const app = createBareApp(options, logger)
  mountStatus(app, options.version, () => ({ connections: sockets.size(), kernels: kernels.list() }))
  mountContents(app, withSessions(contents, sessions.move))
  mountRunning(app, { kernels, sessions, sockets, logger })
  mountRooms(app, { folder, fileIds, rooms, sockets })

  async function drain(): Promise<void> {
    sockets.close()
    await rooms.close()
  }

  let closing: Promise<void> | undefined
  return Object.freeze({
    app: { fetch: (request: Request, env?: object) => app.fetch(request, env) },
    drain,
    close() {
      closing ??= closeAll([{ close: drain }, kernels, { close: lock.release }])
      return closing
    },
  })
}

function createBareApp({ token, guards }: EmbeddedOptions, logger: Logger): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>({ strict: false })
  app.onError(createErrorAnswer(logger))
  app.use('*', createDoor(token, guards))
  app.notFound((c) => {
    const methods = METHODS.filter((method) => app.router.match(method, c.req.path)[0].length > 1)
    if (methods.length > 0 && !methods.includes(c.req.method))
      throw new CallerError('method', 'Method Not Allowed', { headers: { allow: methods.join(', ') } })
    throw new CallerError('not_found', 'Not Found')
  })
  return app
}

interface Activity {
  readonly connections: number
  readonly kernels: readonly { readonly last_activity: string }[]
}

function mountStatus(app: Hono<ServiceEnv>, version: string, activity: () => Activity): void {
  const started = new Date().toISOString()
  app.get('/api', (c) => c.json({ version }))
  app.get('/api/status', (c) => {
    const { connections, kernels } = activity()
    const times = kernels.map(({ last_activity }) => last_activity)
    return c.json({
      started,
      last_activity: [started, ...times].sort().at(-1),
      connections,
      kernels: kernels.length,
    })
  })
}

/** A session is found by the path of what it serves. */
function withSessions(contents: Contents, move: (from: string, to: string) => void): Contents {
  return {
    ...contents,
    async rename(from, to) {
      const model = await contents.rename(from, to)
      move(from, to)
      return model
    },
  }
}
