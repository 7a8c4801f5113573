import type { Context } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Logger } from '../log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createStreamPlaces } from './stream-places.ts'
import { selectProtocol } from './websocket-protocol.ts'
import { callerOf, upgradeRequired, type WebSocketHandler } from './websocket-route.ts'

export type WebSocketDuplexesOptions = Readonly<{
  logger: Logger
  /** A larger one closes its socket with 1009. */
  maxMessageBytes: number
  heartbeatMs?: number
  maxSockets?: number
  /** A caller is a subject, or an address where there is none. */
  maxSocketsPerCaller?: number
}>

export type WebSocketDuplexes = Readonly<{
  /** A handler that upgrades and hands out the socket, paused. `signal`: the peer has left, its token was revoked, or the server goes away. */
  route(onSocket: (context: Context, socket: WebSocket, signal: AbortSignal) => void): WebSocketHandler
  size(): number
  /** Tells every peer that the server goes away. */
  close(): void
}>

const GOING_AWAY = 1001
const MOST_UNREAD = 65_536

/** WebSockets that both sides write to, with a size of messages of their own. */
export function createWebSocketDuplexes(options: WebSocketDuplexesOptions): WebSocketDuplexes {
  const {
    logger,
    maxMessageBytes: maxPayload,
    heartbeatMs = 15_000,
    maxSockets = 500,
    maxSocketsPerCaller = 50,
  } = options
  const server = new WebSocketServer({
    noServer: true,
    maxPayload,
    handleProtocols: selectProtocol,
    autoPong: false,
  })
  const heartbeat = createHeartbeat({ intervalMs: heartbeatMs })
  const places = createStreamPlaces({ most: maxSockets, mostPerCaller: maxSocketsPerCaller })
  const closing = new AbortController()

  function watch(socket: WebSocket): void {
    let isPinged = false
    let waiting = 0
    const beating = heartbeat.add(() => {
      // A slow one is alive as long as it takes what we send: its pong is stuck behind that.
      if (isPinged && socket.bufferedAmount >= waiting) return socket.terminate()
      waiting = socket.bufferedAmount
      isPinged = true
      socket.ping()
    })
    const sign = () => {
      isPinged = false
      heartbeat.touch(beating)
    }
    socket.on('pong', sign)
    socket.on('message', sign)
    socket.on('ping', (data) => {
      if (socket.bufferedAmount > MOST_UNREAD) socket.terminate()
      else socket.pong(data)
    })
    socket.on('error', (error) => logger.debug({ err: error }, 'a WebSocket broke'))
    socket.once('close', () => heartbeat.remove(beating))
  }

  function signalFor(context: Context, socket: WebSocket): AbortSignal {
    const left = new AbortController()
    const revoked: AbortSignal | undefined = context.get('principal')?.revoked
    const ending = revoked ? AbortSignal.any([closing.signal, revoked]) : closing.signal
    const goAway = () => {
      socket.resume()
      socket.close(GOING_AWAY, 'The server is going away, or your token was revoked.')
      left.abort()
    }
    ending.addEventListener('abort', goAway, { once: true })
    socket.once('close', () => {
      ending.removeEventListener('abort', goAway)
      left.abort()
    })
    if (ending.aborted) goAway()
    return left.signal
  }

  const route: WebSocketDuplexes['route'] = (onSocket) =>
    async function openDuplex(context) {
      const { incoming } = context.env
      if (context.req.header('upgrade')?.toLowerCase() !== 'websocket' || !incoming) throw upgradeRequired()
      const { socket } = incoming
      const giveBack = places.take(callerOf(context))
      if (socket.destroyed) {
        giveBack()
        return new Response()
      }
      // The adapter would write an answer to the wire: there is one when that has gone.
      return new Promise<Response>((resolve) => {
        socket.once('close', () => {
          giveBack()
          resolve(new Response())
        })
        server.handleUpgrade(incoming, socket, Buffer.alloc(0), (upgraded) => {
          upgraded.pause()
          watch(upgraded)
          const signal = signalFor(context, upgraded)
          if (!signal.aborted) onSocket(context, upgraded, signal)
        })
      })
    }

  return Object.freeze({ route, size: () => server.clients.size, close: () => closing.abort() })
}
