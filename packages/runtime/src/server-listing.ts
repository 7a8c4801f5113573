import type { Target } from '@quire/mcp/connection/target'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import type { McpServer } from './contract.ts'

/** What may be shown of the configured servers: arguments, and values of variables and headers, may hold secrets. */
export function listServers(config: ToolsetsConfig): readonly McpServer[] {
  return [...config].map(([name, target]) => ({ name, ...describe(target) }))
}

function describe(target: Target): Omit<McpServer, 'name'> {
  if (target.type === 'custom') return { transport: 'embedded' }
  if (target.type === 'stdio')
    return { transport: 'stdio', command: target.command, env: Object.keys(target.env ?? {}) }
  const { origin, pathname } = new URL(target.url)
  return { transport: target.type, url: `${origin}${pathname}`, headers: Object.keys(target.headers ?? {}) }
}
