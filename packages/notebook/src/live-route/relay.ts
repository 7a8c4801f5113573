import type { Logger } from '@quire/kit/log'
import type { WebSocket } from 'ws'

/** What may wait in a socket before no more is read for it. */
const MOST_WAITING = 1024 * 1024
const KEEP_ALIVE_MS = 30_000
const DONE = 1000
/** Ends without a code of their own, which may not be sent. */
const NO_STATUS = 1005
const SERVER_GONE = 1012
const LONGEST_REASON = 123

/** Passes frames both ways until one side ends; the room's reason is handed on. */
export function relay(client: WebSocket, room: WebSocket, logger: Logger): void {
  room.on('error', (error) => logger.debug({ err: error }, 'the connection to a relayed room broke'))
  keepAlive(room)
  pass(client, room)
  pass(room, client)
  room.once('close', (code, reason) => endWith(client, toSendable(code), reason))
  client.once('close', () => endWith(room, DONE))
  if (room.readyState !== room.OPEN) endWith(client, SERVER_GONE)
  if (client.readyState !== client.OPEN) endWith(room, DONE)
}

export function endWith(socket: WebSocket, code: number, reason: Buffer | string = ''): void {
  // A close is a frame, too, and its answer has to be read.
  socket.resume()
  socket.close(code, Buffer.from(reason).subarray(0, LONGEST_REASON))
}

function pass(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary: isBinary }, () => {
      if (from.isPaused && to.bufferedAmount <= MOST_WAITING) from.resume()
    })
    if (to.bufferedAmount > MOST_WAITING) from.pause()
  })
  from.resume()
}

/** The client has a heartbeat already; a server that is gone without a word would never be noticed. */
function keepAlive(room: WebSocket): void {
  let isAnswered = true
  const answered = () => {
    isAnswered = true
  }
  const beating = setInterval(() => {
    // While the client is slow nothing is read, pongs no more than the rest.
    if (room.isPaused) return
    if (!isAnswered) return room.terminate()
    isAnswered = false
    room.ping()
  }, KEEP_ALIVE_MS).unref()
  room.on('pong', answered).on('message', answered)
  room.once('close', () => clearInterval(beating))
}

function toSendable(code: number): number {
  if (code === NO_STATUS) return DONE
  const isSendable = (code >= 3000 && code < 5000) || (code >= 1000 && code <= 1014 && code !== 1004)
  return isSendable && code !== 1006 ? code : SERVER_GONE
}
