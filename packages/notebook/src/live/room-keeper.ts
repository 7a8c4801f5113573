import type { Logger } from '@quire/kit/log'
import { backoffDelay } from '@quire/mcp/connection/backoff'
import { quote } from '../document/json.ts'
import { ToolError } from '../tool-error.ts'
import type { RoomEnd } from '../upstream/collaboration/room-link.ts'
import { withSignal } from '../upstream/kernel/with-signal.ts'
import type { LiveRoom } from './open-live-room.ts'

/** The one connection to a notebook's room, made when it is needed and again when it is lost. */
export interface RoomKeeper {
  /** A room that is open and whose file is there. Throws a `ToolError` that says why there is none. */
  use(signal?: AbortSignal): Promise<LiveRoom>
  /** Keeps the connection even while nothing is asked, until the returned function is called. */
  hold(): () => void
  /** Calls back whenever the notebook may have changed: an edit by anybody, or a new connection. */
  onChange(listener: (room: LiveRoom) => void): () => void
  close(): Promise<void>
}

export interface RoomKeeperOptions {
  readonly path: string
  readonly open: (signal: AbortSignal) => Promise<LiveRoom>
  /** Throws `not_found` when the file is gone. */
  readonly findFile: (signal: AbortSignal | undefined) => Promise<unknown>
  readonly logger: Logger
  readonly idleMs?: number
  /** How long a file that was there is taken to be there. */
  readonly freshMs?: number
}

const IDLE_MS = 300_000
const FRESH_MS = 2_000

export function createRoomKeeper(options: RoomKeeperOptions): RoomKeeper {
  const { path, open, findFile, logger, idleMs = IDLE_MS, freshMs = FRESH_MS } = options
  const closing = new AbortController()
  const listeners = new Set<(room: LiveRoom) => void>()
  let current: LiveRoom | undefined
  let opening: Promise<LiveRoom> | undefined
  let lost: RoomEnd | undefined
  let holders = 0
  let attempt = 0
  let usedAt = performance.now()
  let foundAt = 0
  let retry: NodeJS.Timeout | undefined
  const idle = setTimeout(rest, idleMs).unref()

  function connect(): Promise<LiveRoom> {
    clearTimeout(retry)
    opening ??= open(closing.signal)
      .then(adopt)
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  async function adopt(room: LiveRoom): Promise<LiveRoom> {
    if (closing.signal.aborted) {
      await room.close()
      throw closing.signal.reason
    }
    current = room
    lost = undefined
    attempt = 0
    foundAt = performance.now()
    // It may have come due while the room was being opened.
    idle.refresh()
    room.reader.onChange(() => tell(room))
    void room.ended.then((end) => left(room, end))
    tell(room)
    return room
  }

  function left(room: LiveRoom, end: RoomEnd): void {
    if (current !== room) return
    current = undefined
    lost = end
    logger.debug({ path, ...end }, 'the connection to a live document ended')
    reconnectLater()
  }

  /** A session may have expired and a server may be starting: each attempt asks for a new session, and waits longer than the one before. */
  function reconnectLater(): void {
    clearTimeout(retry)
    if (closing.signal.aborted || !isWanted()) return
    attempt += 1
    retry = setTimeout(reconnect, backoffDelay(attempt, Math.random)).unref()
  }

  async function reconnect(): Promise<void> {
    try {
      await connect()
    } catch (error) {
      logger.debug({ err: error, path }, 'the connection to a live document was not made again')
      // A file that was deleted has no room to come back to; whoever asks for it is told.
      if (!(error instanceof ToolError && error.code === 'not_found')) reconnectLater()
    }
  }

  function isWanted(): boolean {
    return holders > 0 || performance.now() - usedAt < idleMs
  }

  function rest(): void {
    if (isWanted()) idle.refresh()
    else void letGo()
  }

  async function letGo(): Promise<void> {
    const room = current
    current = undefined
    clearTimeout(retry)
    await room?.close()
  }

  function tell(room: LiveRoom): void {
    for (const listener of listeners) listener(room)
  }

  async function use(signal?: AbortSignal): Promise<LiveRoom> {
    usedAt = performance.now()
    idle.refresh()
    if (current?.isOpen()) {
      await checkFile(signal)
      if (current?.isOpen()) return current
    }
    try {
      return await withSignal(connect(), signal)
    } catch (error) {
      throw lost && error instanceof ToolError && error.code !== 'not_found' ? away(path, lost, error) : error
    }
  }

  async function checkFile(signal: AbortSignal | undefined): Promise<void> {
    if (performance.now() - foundAt < freshMs) return
    try {
      await findFile(signal)
      foundAt = performance.now()
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_found') await letGo()
      throw error
    }
  }

  return Object.freeze({
    use,
    hold() {
      holders += 1
      let isHeld = true
      return () => {
        if (isHeld) holders -= 1
        isHeld = false
      }
    },
    onChange(listener: (room: LiveRoom) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      closing.abort(new ToolError('not_found', `${quote(path)} was let go. Open it again with use_notebook.`))
      clearTimeout(idle)
      listeners.clear()
      await letGo()
    },
  })
}

function away(path: string, { code, reason }: RoomEnd, error: ToolError): ToolError {
  const why = reason === '' ? '' : `, ${quote(reason)}`
  return new ToolError(
    error.code,
    `The live document of ${quote(path)} is away: its connection was lost (code ${code}${why}) and could not be made again. ${error.message}`,
    { cause: error },
  )
}
