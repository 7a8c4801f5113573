import { once } from 'node:events'
import type { Logger } from '@quire/kit/log'
import type { RawData } from 'ws'
import { ToolError } from '../../tool-error.ts'
import type { JupyterServer } from '../server.ts'
import type { KernelMessage } from './message.ts'
import { decodeJson, encodeJson } from './wire-json.ts'
import { decodeV1, encodeV1, V1_PROTOCOL } from './wire-v1.ts'

export interface KernelSocket {
  readonly sessionId: string
  isOpen(): boolean
  send(message: KernelMessage): void
  /** Whether the other side still answers. When not, it is closed by then. */
  isAlive(): Promise<boolean>
  close(): Promise<void>
}

export interface KernelSocketOptions {
  readonly server: JupyterServer
  readonly kernelId: string
  readonly sessionId: string
  readonly protocol: 'v1' | 'json'
  readonly timeoutMs: number
  readonly keepAliveMs: number
  readonly signal: AbortSignal
  readonly logger: Logger
  readonly now: () => number
  readonly onMessage: (message: KernelMessage, socket: KernelSocket) => void
  /** `isSilent`: nobody closed it, the other side has stopped answering. */
  readonly onClose: (socket: KernelSocket, isSilent: boolean) => void
}

/** A peer that was heard this recently is not asked. */
const FRESH_MS = 5_000
const PONG_MS = 3_000
const CLOSE_MS = 1_000
const ACKNOWLEDGE_MS = 1

export async function openKernelSocket(options: KernelSocketOptions): Promise<KernelSocket> {
  const { server, kernelId, sessionId, protocol, timeoutMs, keepAliveMs, signal, logger, now } = options
  const socket = await server.openSocket(['api', 'kernels', kernelId, 'channels'], {
    query: { session_id: sessionId },
    protocols: protocol === 'v1' ? [V1_PROTOCOL] : [],
    timeoutMs,
    signal,
  })
  if (socket.readyState === socket.CLOSED) {
    throw new ToolError(
      'unreachable',
      `The notebook server at ${server.url} closed the kernel connection at once. Try again.`,
    )
  }
  const isV1 = socket.protocol === V1_PROTOCOL
  let heard = now()
  /** When the question was sent that is not answered. */
  let asked: number | undefined
  let isSilent = false
  const closed = new AbortController()
  const ended = once(closed.signal, 'abort')

  const keepAlive = setInterval(() => {
    if (asked === undefined) ask()
    // Somebody else may have asked only just now.
    else if (now() - asked > keepAliveMs / 2) giveUp()
  }, keepAliveMs).unref()

  // Servers hold a small message back until the one before it is acknowledged, which our side does only after some 40 ms, unless it has
  // something to send that takes the acknowledgement along. An execution is several small messages.
  const acknowledging = setTimeout(() => {
    if (socket.readyState === socket.OPEN) socket.pong()
  }, ACKNOWLEDGE_MS).unref()

  const self: KernelSocket = Object.freeze({
    sessionId,
    isOpen: () => socket.readyState === socket.OPEN,
    send(message: KernelMessage) {
      socket.send(isV1 ? encodeV1(message) : encodeJson(message), (error) => {
        if (error) logger.debug({ err: error, kernel: kernelId }, 'a message to a kernel was not sent')
      })
    },
    isAlive,
    close,
  })

  socket.on('message', (data, isBinary) => {
    isHeard()
    acknowledging.refresh()
    const frame = toBuffer(data)
    const decoded = isV1 && isBinary ? decodeV1(frame) : decodeJson(frame, isBinary)
    if ('message' in decoded) options.onMessage(decoded.message, self)
    else logger.debug({ kernel: kernelId, fault: decoded.fault }, 'a frame from a kernel was no message')
  })
  socket.on('pong', isHeard)
  socket.on('ping', isHeard)
  socket.on('error', (error) => logger.debug({ err: error, kernel: kernelId }, 'a kernel connection failed'))
  socket.once('close', () => {
    clearInterval(keepAlive)
    clearTimeout(acknowledging)
    closed.abort()
    options.onClose(self, isSilent)
  })
  return self

  function isHeard(): void {
    heard = now()
    asked = undefined
  }

  function ask(): void {
    asked ??= now()
    socket.ping()
  }

  function giveUp(): void {
    isSilent = socket.readyState === socket.OPEN
    if (isSilent)
      logger.debug({ kernel: kernelId }, 'a notebook server does not answer on a kernel connection')
    socket.terminate()
  }

  async function isAlive(): Promise<boolean> {
    if (socket.readyState === socket.OPEN && (now() - heard < FRESH_MS || (await answers()))) return true
    giveUp()
    await ended
    return false
  }

  async function answers(): Promise<boolean> {
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(Math.min(PONG_MS, keepAliveMs))])
    const pong = once(socket, 'pong', { signal })
    ask()
    try {
      await pong
      return true
    } catch {
      // Silence and an error mean the same here: it is of no use any more.
      return false
    }
  }

  async function close(): Promise<void> {
    const impatience = setTimeout(() => socket.terminate(), CLOSE_MS)
    socket.close()
    await ended
    clearTimeout(impatience)
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
