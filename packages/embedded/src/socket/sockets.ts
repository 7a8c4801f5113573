import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import type { Context } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'
import { createPeer, type Peer, type PeerBounds } from './peer.ts'

export interface SocketsOptions extends PeerBounds {
  readonly logger: Logger
  readonly maxMessageBytes: number
  readonly maxSockets: number
  readonly heartbeatMs: number
  /** Sub-protocols that are spoken, the best first. */
  readonly protocols: readonly string[]
}

export interface Sockets {
  /**
   * Upgrades and hands out the peer. The answer is there when the connection has ended: by then whoever wants to write it to the wire finds that gone.
   * A server that upgrades by itself knows one size of messages and one sub-protocol for all of its services; these are larger, and of others.
   */
  accept(c: Context<ServiceEnv>, onPeer: (peer: Peer) => void | Promise<void>): Promise<Response>
  size(): number
  /** Tells everybody that the server goes away. */
  close(): void
}

const GOING_AWAY = 1001
const FAILED = 1011
const MOST_UNREAD = 65_536

export function createSockets(options: SocketsOptions): Sockets {
  const { logger, maxMessageBytes, maxSockets, heartbeatMs, protocols } = options
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    autoPong: false,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  })
  const quiet = new WeakSet<WebSocket>()
  let pinging: NodeJS.Timeout | undefined
  let isClosed = false

  function ping(): void {
    for (const socket of server.clients) {
      // A slow one is alive as long as it takes what we send: its pong is stuck behind that.
      if (quiet.has(socket) && socket.bufferedAmount === 0) socket.terminate()
      else {
        quiet.add(socket)
        socket.ping()
      }
    }
    if (server.clients.size > 0) return
    clearInterval(pinging)
    pinging = undefined
  }

  function watch(socket: WebSocket): void {
    const sign = () => quiet.delete(socket)
    socket.on('pong', sign)
    socket.on('message', sign)
    socket.on('ping', (data) => {
      if (socket.bufferedAmount > MOST_UNREAD) socket.terminate()
      else socket.pong(data)
    })
    pinging ??= setInterval(ping, heartbeatMs).unref()
  }

  async function welcome(peer: Peer, onPeer: (peer: Peer) => void | Promise<void>): Promise<void> {
    try {
      await onPeer(peer)
    } catch (error) {
      logger.error({ err: error }, 'a WebSocket could not be served')
      peer.close(FAILED, 'The server could not go on. Its log has the cause.')
    }
  }

  return Object.freeze({
    accept(c: Context<ServiceEnv>, onPeer: (peer: Peer) => void | Promise<void>) {
      const incoming = c.env?.incoming
      if (c.req.header('upgrade')?.toLowerCase() !== 'websocket' || !incoming) throw upgradeRequired()
      if (isClosed || server.clients.size >= maxSockets)
        throw new CallerError('unavailable', 'Too many connections are open. Try again later.')
      const { socket } = incoming
      return new Promise<Response>((resolve) => {
        if (socket.destroyed) return resolve(new Response())
        socket.once('close', () => resolve(new Response()))
        server.handleUpgrade(incoming, socket, Buffer.alloc(0), (upgraded) => {
          watch(upgraded)
          void welcome(createPeer(upgraded, options, logger), onPeer)
        })
      })
    },
    size: () => server.clients.size,
    close() {
      isClosed = true
      clearInterval(pinging)
      for (const socket of server.clients) {
        socket.resume()
        socket.close(GOING_AWAY, 'the server is going away')
      }
    },
  })
}

function upgradeRequired(): CallerError {
  return new CallerError('method', 'This address speaks WebSocket only. Connect with a WebSocket client.', {
    status: 400,
  })
}
