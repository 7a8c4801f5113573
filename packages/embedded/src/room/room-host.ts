import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import type { Logger } from '@quire/kit/log'
import { WebSocket, WebSocketServer } from 'ws'
import { createPeer } from '../socket/peer.ts'
import type { FileIds } from './file-ids.ts'
import { createMemoryHistory } from './memory-history.ts'
import type { NotebookFiles } from './notebook-file.ts'
import { createRooms, type RoomTiming } from './rooms.ts'

export interface RoomHostOptions {
  /** Wherever they are. */
  readonly files: NotebookFiles
  readonly logger: Logger
  readonly timing?: Partial<RoomTiming>
}

/** Rooms for notebooks that somebody else stores. */
export interface RoomHost {
  isOpen(path: string): boolean
  /** One end of a WebSocket whose other end is in the room; nothing of it leaves the process. */
  connect(path: string): Promise<WebSocket>
  /** Saves all of them. */
  close(): Promise<void>
}

const TIMING: RoomTiming = Object.freeze({
  saveDelayMs: 1_000,
  saveLatestMs: 10_000,
  pollMs: 2_000,
  retryMs: 5_000,
  lingerMs: 2_000,
})
const MAX_ROOMS = 200
const MAX_PEERS_PER_ROOM = 50
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const MAX_BACKLOG_BYTES = 128 * 1024 * 1024

export function createRoomHost({ files, logger, timing }: RoomHostOptions): RoomHost {
  const rooms = createRooms({
    fileIds: PATHS_AS_IDS,
    files,
    history: createMemoryHistory(),
    logger,
    timing: { ...TIMING, ...timing },
    maxRooms: MAX_ROOMS,
    maxPeersPerRoom: MAX_PEERS_PER_ROOM,
  })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })
  const paths = new WeakMap<Duplex, string>()
  const server = createServer().on('upgrade', (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const peer = createPeer(socket, { maxBacklogBytes: MAX_BACKLOG_BYTES }, logger)
      void rooms.enter(peer, paths.get(stream) ?? '', rooms.sessionId)
    })
  })

  return Object.freeze({
    isOpen: rooms.isOpen,
    async connect(path: string) {
      const [ours, theirs] = duplexPair()
      paths.set(theirs, path)
      server.emit('connection', theirs)
      const socket = new WebSocket('ws://room', {
        // Node's HTTP client takes any stream here; the type of `ws` knows those of the network alone.
        createConnection: (() => ours) as unknown as () => Socket,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
      })
      await once(socket, 'open')
      // Whoever asked for it attaches listeners right away, and misses nothing.
      socket.pause()
      setImmediate(() => socket.resume())
      return socket
    },
    close: rooms.close,
  })
}

/** A file that is renamed elsewhere is gone from here: there is no need to know it by anything but its path. */
const PATHS_AS_IDS: FileIds = Object.freeze({
  idOf: async (path: string) => ({ id: path, isNew: false }),
  pathOf: async (id: string) => id,
  known: (path: string) => path,
  move: async () => undefined,
  remove: async (path: string) => [path],
})
