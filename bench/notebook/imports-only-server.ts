// The floor of the cold start: what no MCP server on this stack can do without.
import module from 'node:module'

module.enableCompileCache()
await Promise.all([import('@modelcontextprotocol/server'), import('zod')])
