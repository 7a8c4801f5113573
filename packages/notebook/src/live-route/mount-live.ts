import type { ServiceApp } from '@quire/kit/app/create-app'
import { type Authentication, requireScopes } from '@quire/kit/auth/bearer'
import type { Logger } from '@quire/kit/log'
import { createWebSocketDuplexes } from '@quire/kit/stream/websocket-duplex'
import type { WebSocket } from 'ws'
import { ToolError, type ToolErrorCode } from '../tool-error.ts'
import type { OpenRoom } from '../workbench/workbench.ts'
import { endWith, relay } from './relay.ts'

export interface LiveOptions {
  /** Absent: there is no such route. */
  readonly openRoom: OpenRoom | undefined
  readonly authentication: Authentication | undefined
  readonly logger: Logger
}

export interface Live {
  /** Tells everybody that the server goes away. */
  close(): void
}

const PREFIX = '/live/'
const SCOPES = ['notebooks:read', 'notebooks:write']
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const OPEN_MS = 20_000
const FAILED = 1011
const TRY_AGAIN_LATER = 1013
const CODES: Partial<Record<ToolErrorCode, number>> = Object.freeze({
  invalid_argument: 4400,
  forbidden: 4403,
  not_found: 4404,
})

/** `/live/{path}`: the room of a notebook, whichever server holds it. A page so needs no other origin than ours. */
export function mountLive(app: ServiceApp, { openRoom, authentication, logger }: LiveOptions): Live {
  const sockets = createWebSocketDuplexes({ logger, maxMessageBytes: MAX_MESSAGE_BYTES })
  if (!openRoom) return sockets

  async function serve(open: OpenRoom, path: string, client: WebSocket, left: AbortSignal): Promise<void> {
    try {
      const room = await open(path, AbortSignal.any([left, AbortSignal.timeout(OPEN_MS)]))
      relay(client, room, logger)
    } catch (error) {
      if (left.aborted) return
      if (error instanceof ToolError) {
        endWith(client, CODES[error.code] ?? TRY_AGAIN_LATER, error.message)
        return
      }
      logger.error({ err: error }, 'a room could not be opened')
      endWith(client, FAILED, 'The server could not go on. Its log has the cause.')
    }
  }

  const handle = sockets.route((c, client, left) => {
    const path = decodeURIComponent(new URL(c.req.url).pathname.slice(PREFIX.length))
    void serve(openRoom, path, client, left)
  })
  app.get(`${PREFIX}*`, async function openLive(c) {
    if (authentication) requireScopes(c.get('principal'), SCOPES, authentication)
    return handle(c)
  })
  return sockets
}
