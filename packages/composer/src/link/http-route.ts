import { isJSONRPCNotification } from '@modelcontextprotocol/client'
import type { Era } from '@quire/mcp/connection/era'
import { ConnectionError } from '@quire/mcp/connection/errors'
import type { Link as Transports } from '@quire/mcp/connection/link'
import type { Session } from '@quire/mcp/connection/session'
import type { RemoteServer } from '@quire/mcp/connection/target'
import { createHttpLane, type HttpLane } from './http-lane.ts'
import { createHttpPeer } from './http-peer.ts'
import type { LinkOptions } from './link.ts'
import { MAX_MESSAGE_BYTES, openLinkSession } from './link-session.ts'

/** One way to a server over HTTP, in one era: the SDK's session and the lane beside it. */
export interface HttpRoute {
  readonly session: Session
  readonly lane: HttpLane
}

export async function openHttpRoute(
  server: string,
  remote: RemoteServer,
  options: LinkOptions,
  knownEra: Era | undefined,
): Promise<HttpRoute> {
  const { onLog, onGarbage, clientInfo, maxMessageBytes: maxBytes = MAX_MESSAGE_BYTES } = options
  const peer = createHttpPeer(remote.url, remote.headers ?? {})
  let transports: Transports | undefined
  let session: Session | undefined
  const lane = createHttpLane({
    server,
    peer,
    maxBytes,
    onLog,
    onGarbage,
    onChange(message) {
      if (isJSONRPCNotification(message)) transports?.transport.onmessage?.(message)
    },
    onForgotten: () => session?.fail(forgotten(server)),
    onTrouble: () => void session?.check(),
  })
  const tap = {
    attach(attached: Transports) {
      transports = attached
    },
    onLine: () => false,
    onMessage: lane.takeMessage,
    onSend: () => undefined,
  }
  try {
    session = await openLinkSession(server, { type: 'http', ...remote }, options, tap, knownEra)
  } catch (error) {
    peer.close()
    throw error
  }
  const protocolVersion = session.client.getNegotiatedProtocolVersion() ?? ''
  lane.open(
    { era: session.era, protocolVersion, clientInfo },
    { id: transports?.transport.sessionId, headerTool: session.headerTool },
  )
  return { session, lane }
}

function forgotten(server: string): ConnectionError {
  return new ConnectionError('lost', `MCP server "${server}" has forgotten our session.`, { status: 404 })
}
