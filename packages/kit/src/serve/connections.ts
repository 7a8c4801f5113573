import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** What is known of the connections of one server: enough to close it without cutting off an answer, and without waiting for nobody. */
export interface Connections {
  /** A refused upgrade is no longer the HTTP server's business, and nobody else's either: it is given a moment to read why. */
  watchUpgrade(socket: Socket): void
  /** Stops listening; answers what was asked, each with `Connection: close`; cuts what is left after `graceMs`. */
  drain(graceMs: number): Promise<void>
}

/** What was sent before we stopped listening may still be on its way to us. */
const SETTLE_MS = 100
const LINGER_MS = 2_000

export function createConnections(server: Server): Connections {
  const answers = new Map<Socket, ServerResponse | undefined>()
  let isDraining = false
  let isSettled = false

  server.on(
    server.listenerCount('secureConnection') > 0 ? 'secureConnection' : 'connection',
    (socket: Socket) => {
      answers.set(socket, undefined)
      socket.once('close', () => answers.delete(socket))
    },
  )
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, response)
    if (isDraining) sayGoodbye(response)
    response.once('close', () => {
      if (answers.get(socket) !== response) return
      answers.set(socket, undefined)
      if (isSettled) socket.destroySoon()
    })
  })

  function settle(): void {
    isSettled = true
    for (const [socket, response] of answers) if (!response) socket.destroySoon()
  }

  return Object.freeze({
    watchUpgrade(socket: Socket) {
      socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref())
    },
    async drain(graceMs: number) {
      isDraining = true
      for (const response of answers.values()) if (response) sayGoodbye(response)
      // The HTTP server's own close would also cut connections whose request we have not read yet.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      const settling = setTimeout(settle, Math.min(SETTLE_MS, graceMs))
      const cutting = setTimeout(() => {
        for (const socket of answers.keys()) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(settling)
      clearTimeout(cutting)
      // What is left of it is a timer that looks for slow requests.
      server.close()
    },
  })
}

function sayGoodbye(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
