import { upgradeWebSocket } from '@hono/node-server'
import type { Context, Next } from 'hono'
import { WebSocket } from 'ws'
import { CallerError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { writeWebSocket } from './websocket.ts'

export type WebSocketStreamsOptions = Readonly<{
  logger: Logger
  heartbeatMs?: number
  maxBufferedBytes?: number
}>

export type WebSocketStreams = Readonly<{
  /** A handler that upgrades, then streams what the source gives until the peer leaves or its token is revoked. */
  route(source: (context: Context, signal: AbortSignal) => AsyncIterable<unknown>): WebSocketHandler
  /** How many are open. */
  size(): number
  /** Tells every peer that the server goes away. */
  close(): void
}>

/** Fits a documented route, which may so ask for scopes, as well as a plain one. */
export type WebSocketHandler = (context: Context, next: Next) => Promise<Response>

/** The WebSockets of one service: they share one heartbeat and end together. */
export function createWebSocketStreams(options: WebSocketStreamsOptions): WebSocketStreams {
  const { heartbeatMs = 15_000, ...writing } = options
  const heartbeat = createHeartbeat({ intervalMs: heartbeatMs })
  const closing = new AbortController()

  const route: WebSocketStreams['route'] = (source) => {
    const upgrade = upgradeWebSocket((context) => ({
      onOpen(_event, { raw }) {
        if (!(raw instanceof WebSocket))
          throw new TypeError('The server has no WebSocketServer of the ws package.')
        const revoked: AbortSignal | undefined = context.get('principal')?.revoked
        const signal = revoked ? AbortSignal.any([closing.signal, revoked]) : closing.signal
        void writeWebSocket(raw, (left) => source(context, left), { ...writing, heartbeat, signal })
      },
    }))
    return async function streamOverWebSocket(context, next) {
      const upgraded = await upgrade(context, next)
      if (upgraded) return upgraded
      throw new CallerError(
        'method',
        'This address speaks WebSocket only. Connect with a WebSocket client.',
        {
          status: 426,
          headers: { upgrade: 'websocket', connection: 'upgrade' },
        },
      )
    }
  }

  return Object.freeze({ route, size: heartbeat.size, close: () => closing.abort() })
}
