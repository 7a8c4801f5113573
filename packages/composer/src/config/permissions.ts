import { SCOPES } from '../scopes.ts'

/** What one permission of a role comes to. */
export interface Grant {
  /** Glob patterns over `server:tool`. */
  readonly tools: readonly string[]
  readonly scopes: readonly string[]
}

export const EVERY_TOOL = '*:*'
export const TOOL_SCOPES = ['tools:list', 'tools:invoke'] as const

const RESOURCES: Readonly<Record<string, string>> = { tool: 'tools', server: 'servers', log: 'logs' }
const ACTIONS: Readonly<Record<string, string>> = { execute: 'invoke', call: 'invoke' }

/** Reads `resource:action` and `tools:invoke:PATTERN`, with `*` for either; undefined where it allows nothing that we know. */
export function grantOf(permission: string): Grant | undefined {
  if (/^\*(?::\*){0,2}$/.test(permission)) return { tools: [EVERY_TOOL], scopes: SCOPES }
  const [resource = '', action = '', ...rest] = permission.split(':')
  const wanted = [RESOURCES[resource] ?? resource, ACTIONS[action] ?? action]
  const scopes = SCOPES.filter((scope) =>
    scope.split(':').every((part, at) => [part, '*'].includes(wanted[at] ?? '')),
  )
  const invokes = scopes.includes('tools:invoke')
  if (scopes.length === 0 || (rest.length > 0 && (wanted[0] !== 'tools' || rest.join(':') === '')))
    return undefined
  const tools = rest.length > 0 ? [toolPattern(rest.join(':'))] : invokes ? [EVERY_TOOL] : []
  // What may be called may be seen.
  return { tools, scopes: invokes ? [...new Set([...scopes, 'tools:list'])] : scopes }
}

/** A pattern without a server is for that tool of every server. */
export function toolPattern(pattern: string): string {
  return pattern.includes(':') ? pattern : `*:${pattern}`
}
