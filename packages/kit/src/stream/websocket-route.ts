import { upgradeWebSocket } from '@hono/node-server'
import type { Context } from 'hono'
import { WebSocket } from 'ws'
import { addressRange } from '../app/client-address.ts'
import { anonymous, type Principal } from '../auth/principal.ts'
import { CallerError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createStreamPlaces } from './stream-places.ts'
import { writeWebSocket } from './websocket.ts'

export type WebSocketStreamsOptions = Readonly<{
  logger: Logger
  heartbeatMs?: number
  /** How many may be open at a time. */
  maxStreams?: number
  /** How many of them one caller may have: a subject, or an address where there is none. */
  maxStreamsPerCaller?: number
}>

export type WebSocketStreams = Readonly<{
  /**
   * A handler that upgrades, then streams what the source gives until the peer leaves or its token is revoked.
   * The source is read no faster than the peer takes it, so it has to bound what waits in it.
   * A Buffer is JSON already, which many peers may share; all else is put into JSON.
   */
  route(source: (context: Context, signal: AbortSignal) => AsyncIterable<unknown>): WebSocketHandler
  /** How many are open. */
  size(): number
  /** Tells every peer that the server goes away. */
  close(): void
}>

/** Fits a documented route, which may so ask for scopes, as well as a plain one. */
export type WebSocketHandler = (context: Context) => Promise<Response>

/** The WebSockets of one service: they share one heartbeat, one count of places, and end together. */
export function createWebSocketStreams(options: WebSocketStreamsOptions): WebSocketStreams {
  const { logger, heartbeatMs = 15_000, maxStreams = 2_000, maxStreamsPerCaller = 1_000 } = options
  const heartbeat = createHeartbeat({ intervalMs: heartbeatMs })
  const places = createStreamPlaces({ most: maxStreams, mostPerCaller: maxStreamsPerCaller })
  const closing = new AbortController()

  const route: WebSocketStreams['route'] = (source) =>
    async function streamOverWebSocket(context) {
      if (context.req.header('upgrade')?.toLowerCase() !== 'websocket') throw upgradeRequired()
      const { incoming } = context.env
      const giveBack = places.take(callerOf(context))
      // Until the connection itself has gone, whatever becomes of the handshake: so none slips by while others are under way.
      if (incoming === undefined || incoming.socket.closed) giveBack()
      else incoming.socket.once('close', giveBack)
      return await upgradeWebSocket(context, {
        onOpen(_event, { raw }) {
          if (!(raw instanceof WebSocket))
            throw new TypeError('The server has no WebSocketServer of the ws package.')
          const revoked: AbortSignal | undefined = context.get('principal')?.revoked
          const signal = revoked ? AbortSignal.any([closing.signal, revoked]) : closing.signal
          void writeWebSocket(raw, (left) => source(context, left), { logger, heartbeat, signal })
        },
      })
    }

  return Object.freeze({ route, size: heartbeat.size, close: () => closing.abort() })
}

/** An app without admission knows neither a principal nor an address; all of its callers count as one. */
export function callerOf(context: Context): string {
  const principal: Principal = context.get('principal') ?? anonymous
  return principal === anonymous
    ? `address:${addressRange(context.get('address') ?? '')}`
    : `subject:${principal.subject}`
}

export function upgradeRequired(): CallerError {
  return new CallerError('method', 'This address speaks WebSocket only. Connect with a WebSocket client.', {
    status: 426,
    headers: { upgrade: 'websocket', connection: 'upgrade' },
    code: 'UPGRADE_REQUIRED',
  })
}
