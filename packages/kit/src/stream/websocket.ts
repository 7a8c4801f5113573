import type { WebSocket } from 'ws'
import type { Logger } from '../log.ts'
import { type Backlog, createBacklog } from './backlog.ts'
import type { Heartbeat } from './heartbeat.ts'

/** Read as fast as it speaks. It has to end when `signal` is aborted: the peer has gone. */
export type WebSocketSource = (signal: AbortSignal) => AsyncIterable<unknown>

export type WriteWebSocketOptions = Readonly<{
  logger: Logger
  /** A peer that gives no sign of life for a whole interval after a ping is cut off. */
  heartbeat: Heartbeat
  /** Ends the stream from our side, as "going away". */
  signal?: AbortSignal
  /** What may wait for a slow peer before the oldest of it is dropped. */
  maxBufferedBytes?: number
  /** What the peer is told in place of what was dropped. */
  onDropped?: (count: number) => unknown
}>

/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const CLOSE = Object.freeze({ done: 1000, goingAway: 1001, failed: 1011 })

/** What the socket itself may hold; the rest waits in the backlog, where it can still be dropped. */
const SOCKET_BYTES = 65_536

/** Sends every item as a JSON text until the source, the peer or the signal ends it. Resolves then, and never rejects. */
export async function writeWebSocket(
  socket: WebSocket,
  source: WebSocketSource,
  options: WriteWebSocketOptions,
): Promise<void> {
  const { logger, heartbeat, signal, maxBufferedBytes = 1_048_576, onDropped = toDropped } = options
  const aborter = new AbortController()
  const life = watchLife(socket, heartbeat)
  const backlog = createBacklog<string>({
    policy: 'drop-oldest',
    maxBytes: maxBufferedBytes,
    sizeOf: (text) => Buffer.byteLength(text),
    onDropped: (count) => toText(onDropped(count)),
    signal: aborter.signal,
  })
  const leave = () => aborter.abort()
  const goAway = () => {
    socket.close(CLOSE.goingAway)
    leave()
  }
  socket.on('close', leave)
  socket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket broke'))
  signal?.addEventListener('abort', goAway)
  if (signal?.aborted) goAway()
  try {
    void fill(backlog, source, aborter.signal)
    for await (const text of backlog) await send(socket, text, life.sign)
    socket.close(CLOSE.done)
  } catch (error) {
    logger.error({ err: error }, 'the source of a WebSocket failed')
    socket.close(CLOSE.failed, 'The server could not go on. Connect again.')
  } finally {
    leave()
    life.stop()
    signal?.removeEventListener('abort', goAway)
  }
}

async function fill(backlog: Backlog<string>, source: WebSocketSource, signal: AbortSignal): Promise<void> {
  try {
    for await (const item of source(signal)) if (!backlog.push(toText(item))) break
    backlog.end()
  } catch (error) {
    backlog.end(error)
  }
}

/** Resolves when there is room for the next one. */
function send(socket: WebSocket, text: string, onProgress: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isFull = false
    socket.send(text, () => {
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

function toText(item: unknown): string {
  return JSON.stringify(item) ?? 'null'
}

function toDropped(count: number): unknown {
  return { type: 'dropped', count }
}
