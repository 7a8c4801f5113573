import type { Target } from '@quire/mcp/connection/target'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import type { McpServer } from './configuration-contract.ts'

/** What may be shown of the configured servers: arguments, and values of variables and headers, may hold secrets. */
export function listServers(config: ToolsetsConfig): readonly McpServer[] {
  return [...config].map(([name, target]) => ({ name, ...describe(target) }))
}

function describe(target: Target): Omit<McpServer, 'name'> {
  if (target.type === 'custom') return { transport: 'embedded' }
  if (target.type === 'stdio')
    return { transport: 'stdio', command: target.command, env: Object.keys(target.env ?? {}) }
  const { origin, pathname, port } = new URL(target.url)
  // No server can be at this port: it is one of this very process.
  if (port === '0') return { transport: 'embedded' }
  return { transport: target.type, url: `${origin}${pathname}`, headers: Object.keys(target.headers ?? {}) }
}
