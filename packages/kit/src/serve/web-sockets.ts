import { type WebSocket, WebSocketServer } from 'ws'
import { selectProtocol } from '../stream/websocket-protocol.ts'

const LARGEST_MESSAGE = 1024 * 1024
/** A peer that asks and does not listen: what it is owed must not grow without end. */
const MOST_UNREAD = 64 * 1024

export function createWebSockets(): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_MESSAGE,
    handleProtocols: selectProtocol,
    autoPong: false,
  })
  return server.on('connection', (socket: WebSocket) => {
    socket.on('ping', (data) => {
      if (socket.bufferedAmount > MOST_UNREAD) socket.terminate()
      else socket.pong(data)
    })
  })
}
