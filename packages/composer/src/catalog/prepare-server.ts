import type { Prompt, Tool } from '@modelcontextprotocol/client'
import type { Catalog } from '@quire/mcp/connection/catalog'
import type { ServerDefinition } from '../server-definition.ts'
import type { Nameable } from './assign-names.ts'
import type { Conflict } from './composed-catalog.ts'
import { matchesAnyGlob } from './glob.ts'
import { searchableDescription } from './tool-search.ts'
import type { ToolTrust, ToolVerdict } from './tool-trust.ts'

/** What one server offers, as far as it can be told without the others. */
export interface PreparedServer {
  readonly name: string
  readonly catalog: Catalog
  readonly tools: readonly PreparedTool[]
  readonly prompts: readonly PreparedPrompt[]
  readonly conflicts: readonly Conflict[]
}

export interface PreparedTool extends Nameable {
  readonly item: Tool
  readonly hash: string
  readonly verdict: ToolVerdict
  /** In lower case, for searches. */
  readonly description: string
}

export interface PreparedPrompt extends Nameable {
  readonly item: Prompt
}

const LONGEST_NAME = 1_024
const LONGEST_SHOWN = 64
const MAX_TOLD = 100

export function prepareServer(options: {
  readonly definition: ServerDefinition
  readonly catalog: Catalog
  readonly serverVersion: string | undefined
  readonly trust: ToolTrust
}): PreparedServer {
  const { definition, catalog, trust } = options
  const { name: server, includeTools, excludeTools, pin: pinned } = definition
  const version = definition.version ?? options.serverVersion
  const conflicts: Conflict[] = []

  const tools = nameable('tool', catalog.tools.filter(isIncluded)).flatMap((tool): PreparedTool | [] => {
    const hash = hashOf(tool)
    if (hash === undefined) return []
    const verdict = trust.judge({ id: tool.id, server, pinned }, tool.item)
    return { ...tool, hash, verdict, description: searchableDescription(tool.item) }
  })
  const prompts = nameable('prompt', catalog.prompts)
  return Object.freeze({ name: server, catalog, tools, prompts, conflicts })

  function isIncluded({ name }: Tool): boolean {
    return (!includeTools || matchesAnyGlob(includeTools, name)) && !matchesAnyGlob(excludeTools, name)
  }

  function nameable<Item extends { readonly name: string }>(type: 'tool' | 'prompt', items: readonly Item[]) {
    const seen = new Set<string>()
    return items.flatMap((item): (Nameable & { readonly item: Item }) | [] => {
      const own = item.name
      if (seen.has(own) || own.length > LONGEST_NAME) {
        leaveOut(type, own, seen.has(own) ? 'the server lists it twice' : 'its name is too long')
        return []
      }
      seen.add(own)
      return { item, server, own, id: `${server}:${own}`, version }
    })
  }

  function hashOf({ item, own }: { readonly item: Tool; readonly own: string }): string | undefined {
    try {
      return trust.hashOf(item)
    } catch (error) {
      leaveOut('tool', own, error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  function leaveOut(type: 'tool' | 'prompt', own: string, fault: string): void {
    if (conflicts.length >= MAX_TOLD) return
    const name = own.length > LONGEST_SHOWN ? `${own.slice(0, LONGEST_SHOWN)}…` : own
    conflicts.push({ type, name, servers: [server], resolution: `Left out, for ${fault}.` })
  }
}
