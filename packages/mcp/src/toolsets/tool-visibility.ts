import type { Tool } from '@modelcontextprotocol/client'
import { isRecord } from '../json.ts'

/** As MCP Apps has it. A tool that says nothing is for both. */
export function isVisibleTo({ _meta }: Pick<Tool, '_meta'>, who: 'model' | 'app'): boolean {
  const visibility = isRecord(_meta?.ui) ? _meta.ui.visibility : undefined
  if (visibility === undefined) return true
  return Array.isArray(visibility) ? visibility.includes(who) : visibility === who
}
