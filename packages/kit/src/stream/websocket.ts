import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Logger } from '../log.ts'
import type { Heartbeat } from './heartbeat.ts'

/**
 * Read no faster than the peer takes it: what may wait in it has to have a bound. It has to end when `signal` is aborted: the peer has gone.
 * A Buffer is JSON already, which many peers may share; all else is put into JSON.
 */
export type WebSocketSource = (signal: AbortSignal) => AsyncIterable<unknown>

export type WriteWebSocketOptions = Readonly<{
  logger: Logger
  /** A peer that gives no sign of life for a whole interval after a ping is cut off. */
  heartbeat: Heartbeat
  /** Ends the stream from our side, as "going away". */
  signal?: AbortSignal
}>

/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const CLOSE = Object.freeze({ done: 1000, goingAway: 1001, failed: 1011 })

/** What the socket itself may hold; the rest waits in the source, where it can still be dropped. */
const SOCKET_BYTES = 65_536
/** A source that always has more would keep everybody else waiting. */
const TURN_BYTES = 65_536
const TURN_MESSAGES = 64

/** Sends every item as a JSON text until the source, the peer or the signal ends it. Resolves then, and never rejects. */
export async function writeWebSocket(
  socket: WebSocket,
  source: WebSocketSource,
  options: WriteWebSocketOptions,
): Promise<void> {
  const { logger, heartbeat, signal } = options
  const aborter = new AbortController()
  const life = watchLife(socket, heartbeat)
  const leave = () => {
    aborter.abort()
    life.stop()
  }
  const goAway = () => {
    socket.close(CLOSE.goingAway)
    leave()
  }
  socket.on('close', leave)
  socket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket broke'))
  signal?.addEventListener('abort', goAway)
  if (signal?.aborted) goAway()
  try {
    await sendAll(socket, source(aborter.signal), aborter.signal, life.sign)
    socket.close(CLOSE.done)
  } catch (error) {
    // One that has been told to end may well say that it was.
    if (aborter.signal.aborted) return
    logger.error({ err: error }, 'the source of a WebSocket failed')
    socket.close(CLOSE.failed, 'The server could not go on. Connect again.')
  } finally {
    leave()
    signal?.removeEventListener('abort', goAway)
  }
}

async function sendAll(
  socket: WebSocket,
  items: AsyncIterable<unknown>,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  let bytes = 0
  let messages = 0
  for await (const item of items) {
    if (signal.aborted) return
    const data = toBytes(item)
    await send(socket, data, onProgress)
    bytes += data.byteLength
    messages += 1
    if (bytes < TURN_BYTES && messages < TURN_MESSAGES) continue
    await nextTurn()
    bytes = 0
    messages = 0
  }
}

/** Resolves when there is room for the next one. */
function send(socket: WebSocket, data: Buffer, onProgress: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isFull = false
    socket.send(data, { binary: false }, () => {
      // Only a full socket tells something when it takes more: the kernel also takes what a dead peer will never read.
      if (isFull) onProgress()
      resolve()
    })
    isFull = socket.bufferedAmount >= SOCKET_BYTES
    if (!isFull) resolve()
  })
}

/** Pings a quiet peer. A slow one is alive as long as it takes what we send, even if its pong is stuck behind that. */
function watchLife(socket: WebSocket, heartbeat: Heartbeat): { sign: () => void; stop: () => void } {
  let pinged = false
  const beating = heartbeat.add(() => {
    if (pinged) return socket.terminate()
    pinged = true
    socket.ping()
  })
  const sign = () => {
    pinged = false
    heartbeat.touch(beating)
  }
  socket.on('pong', sign)
  socket.on('message', sign)
  return { sign, stop: () => heartbeat.remove(beating) }
}

function toBytes(item: unknown): Buffer {
  return Buffer.isBuffer(item) ? item : Buffer.from(JSON.stringify(item) ?? 'null')
}
