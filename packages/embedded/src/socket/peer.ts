import type { Logger } from '@quire/kit/log'
import { createBacklog, SlowReaderError } from '@quire/kit/stream/backlog'
import type { WebSocket } from 'ws'

/** The other end of one WebSocket. */
export interface Peer {
  /** The sub-protocol that was agreed on, or the empty text. */
  readonly protocol: string
  /** Bytes as a binary frame, a text as a text. One that does not keep up is cut off. */
  send(data: Uint8Array | string): void
  close(code: number, reason: string): void
  /** To be called once; messages wait until then. */
  onMessage(listener: (data: Buffer, isBinary: boolean) => void): void
  /** Called at once where it has gone already. */
  onClose(listener: () => void): void
}

export interface PeerBounds {
  readonly maxBacklogBytes: number
}

/** What the socket itself may hold; the rest waits in the backlog, where it has a bound. */
const SOCKET_BYTES = 65_536
const LONGEST_REASON = 123
const TRY_AGAIN_LATER = 1013
const OPEN = 1

export function createPeer(socket: WebSocket, { maxBacklogBytes }: PeerBounds, logger: Logger): Peer {
  const gone = new AbortController()
  const backlog = createBacklog<Uint8Array | string>({
    policy: 'fail',
    maxBytes: maxBacklogBytes,
    sizeOf: (data) => data.length,
    signal: gone.signal,
    onOverflow(error) {
      logger.warn({ reason: error.message }, 'a client of a WebSocket was cut off')
      socket.close(TRY_AGAIN_LATER, 'You did not keep up. Connect again.')
      socket.terminate()
    },
  })
  socket.pause()
  socket.on('close', () => gone.abort())
  socket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket broke'))
  if (socket.readyState !== OPEN) gone.abort()
  void pump()

  async function pump(): Promise<void> {
    try {
      for await (const data of backlog) await sendOne(data)
    } catch (error) {
      if (!(error instanceof SlowReaderError))
        logger.error({ err: error }, 'a WebSocket could not be written to')
    }
  }

  /** Resolves when there is room for the next one. */
  function sendOne(data: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      socket.send(data, { binary: typeof data !== 'string' }, () => resolve())
      if (socket.bufferedAmount < SOCKET_BYTES) resolve()
    })
  }

  return Object.freeze({
    protocol: socket.protocol,
    send: (data: Uint8Array | string) => void backlog.push(data),
    close(code: number, reason: string) {
      backlog.end()
      socket.resume()
      socket.close(code, Buffer.from(reason).subarray(0, LONGEST_REASON))
    },
    onMessage(listener: (data: Buffer, isBinary: boolean) => void) {
      socket.on('message', (data: Buffer, isBinary: boolean) => listener(data, isBinary))
      socket.resume()
    },
    onClose(listener: () => void) {
      if (gone.signal.aborted) listener()
      else gone.signal.addEventListener('abort', listener, { once: true })
    },
  })
}
