import type { Logger } from '@quire/kit/log'
import type { RawData, WebSocket } from 'ws'
import { decodeFrame, type Frame } from './frame.ts'

/** Why a connection to a room ended. */
export interface RoomEnd {
  /** Of the WebSocket; 1006 when there was none. */
  readonly code: number
  readonly reason: string
}

/** The socket of a room: frames in and out, and an eye on whether the other side is still there. */
export interface RoomLink {
  send(frame: Uint8Array): void
  isOpen(): boolean
  readonly ended: Promise<RoomEnd>
  /** Hangs up without a word: what came was no part of the protocol, or nothing came any more. */
  cut(reason: string): void
  close(): Promise<void>
}

export interface RoomLinkOptions {
  readonly socket: WebSocket
  readonly onFrame: (frame: Frame) => void
  readonly logger: Logger
  readonly keepAliveMs?: number
}

const KEEP_ALIVE_MS = 30_000
const CLOSE_MS = 1_000
const ACKNOWLEDGE_MS = 1
const NO_CODE = 1006
const MAX_REASON = 200

export function createRoomLink(options: RoomLinkOptions): RoomLink {
  const { socket, onFrame, logger, keepAliveMs = KEEP_ALIVE_MS } = options
  const { promise: ended, resolve: end } = Promise.withResolvers<RoomEnd>()
  let isAnswered = true
  let cutFor: string | undefined

  const keepAlive = setInterval(() => {
    if (!isAnswered) {
      cut('the server did not answer any more')
      return
    }
    isAnswered = false
    socket.ping()
  }, keepAliveMs).unref()
  // Servers hold a small message back until the one before it is acknowledged, which takes some 40 ms unless something is sent that
  // takes the acknowledgement along.
  const acknowledging = setTimeout(() => {
    if (socket.readyState === socket.OPEN) socket.pong()
  }, ACKNOWLEDGE_MS).unref()

  function cut(reason: string): void {
    cutFor ??= reason
    socket.terminate()
  }

  socket.on('message', (data) => {
    isAnswered = true
    acknowledging.refresh()
    try {
      onFrame(decodeFrame(toBytes(data)))
    } catch (error) {
      logger.debug({ err: error }, 'a frame of a live document made no sense')
      cut('a frame of the server made no sense')
    }
  })
  socket.on('pong', () => {
    isAnswered = true
  })
  socket.on('error', (error) => logger.debug({ err: error }, 'a connection to a live document failed'))
  socket.once('close', (code, reason) => finish(code, reason.toString()))
  if (socket.readyState === socket.CLOSED) finish(NO_CODE, '')

  function finish(code: number, reason: string): void {
    clearInterval(keepAlive)
    clearTimeout(acknowledging)
    end({ code, reason: (cutFor ?? reason).slice(0, MAX_REASON) })
  }

  return Object.freeze({
    send(frame: Uint8Array) {
      if (socket.readyState === socket.OPEN) socket.send(frame)
    },
    isOpen: () => socket.readyState === socket.OPEN,
    ended,
    cut,
    async close() {
      if (socket.readyState === socket.CLOSED) return
      const impatience = setTimeout(() => socket.terminate(), CLOSE_MS)
      socket.close()
      await ended
      clearTimeout(impatience)
    },
  })
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : new Uint8Array(data)
}
