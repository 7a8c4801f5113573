import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** What the client of a request can be asked, by name: told with the request, or when the session began. */
export function clientCapabilitiesOf(server: McpServer, { mcpReq }: ServerContext): ReadonlySet<string> {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  const told = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {}
  return new Set(Object.keys(told))
}
