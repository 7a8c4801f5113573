import type { Tool } from '@modelcontextprotocol/client'
import { isRecord } from '../json.ts'

/** Of a server that offers those of others as its own: which of them has the tool, and what it calls it. */
export interface ToolOrigin {
  readonly server: string
  readonly tool: string
}

const ORIGIN = 'quire/origin'

/** Whatever the tool said of its origin itself does not count. */
export function withOrigin(tool: Tool, origin: ToolOrigin): Tool {
  return { ...tool, _meta: { ...tool._meta, [ORIGIN]: origin } }
}

export function originOf({ _meta }: Pick<Tool, '_meta'>): ToolOrigin | undefined {
  const origin = _meta?.[ORIGIN]
  if (!isRecord(origin)) return undefined
  const { server, tool } = origin
  return typeof server === 'string' && typeof tool === 'string' ? { server, tool } : undefined
}
