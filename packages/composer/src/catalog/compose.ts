import type { ToolSettings } from '../config/config.ts'
import { resolveAliases } from './aliases.ts'
import { assignNames } from './assign-names.ts'
import type { Conflict, PromptEntry, ToolEntry } from './composed-catalog.ts'
import type { PreparedServer } from './prepare-server.ts'
import { findResourceOwners, type ResourceOwners } from './resource-owners.ts'
import { type SearchableTool, toSearchable } from './tool-search.ts'

/** All servers as one, at one moment. */
export interface Composition {
  /** Each tool once, those that MCP clients are not offered among them; these have their id for a name. */
  readonly tools: readonly SearchableTool[]
  /** What MCP clients are offered, under every name. */
  readonly offered: readonly ToolEntry[]
  readonly toolByName: ReadonlyMap<string, ToolEntry>
  readonly prompts: readonly PromptEntry[]
  readonly promptByName: ReadonlyMap<string, PromptEntry>
  readonly resources: ResourceOwners
  readonly conflicts: readonly Conflict[]
}

/** The servers in the order of the configuration. */
export function compose(settings: ToolSettings, servers: readonly PreparedServer[]): Composition {
  const tools = composeTools(settings, servers)
  const prompts = composePrompts(settings, servers)
  const resources = findResourceOwners(servers)
  const conflicts = [
    ...servers.flatMap((server) => server.conflicts),
    ...tools.conflicts,
    ...prompts.conflicts,
    ...resources.conflicts,
  ]
  return Object.freeze({
    tools: tools.searchable,
    offered: Object.freeze([...tools.entries, ...tools.aliases].filter(isOffered)),
    toolByName: tools.byName,
    prompts: Object.freeze(prompts.entries.filter(({ name, id }) => name !== id)),
    promptByName: prompts.byName,
    resources,
    conflicts: Object.freeze(conflicts),
  })
}

function isOffered({ name, id, trust }: ToolEntry): boolean {
  return name !== id && trust !== 'blocked'
}

function composeTools(settings: ToolSettings, servers: readonly PreparedServer[]) {
  const prepared = servers.flatMap(({ tools }) => tools)
  const { names, conflicts } = assignNames(prepared, settings, 'tool')
  const searchable = prepared.map((tool) => {
    const { server, item, id, hash, verdict, description } = tool
    return toSearchable(
      Object.freeze({ server, item, id, name: names.get(tool) ?? id, hash, ...verdict }),
      description,
    )
  })
  const entries = searchable.map(({ entry }) => entry)
  const byName = tableOf(entries)
  const aliases = resolveAliases(settings.aliases, (name) => byName.get(name))
  for (const entry of aliases.entries) byName.set(entry.name, entry)
  return {
    searchable,
    entries,
    byName,
    aliases: aliases.entries,
    conflicts: [...conflicts, ...aliases.conflicts],
  }
}

function composePrompts(settings: ToolSettings, servers: readonly PreparedServer[]) {
  const prepared = servers.flatMap(({ prompts }) => prompts)
  const { names, conflicts } = assignNames(prepared, settings, 'prompt')
  const entries = prepared.map((prompt): PromptEntry => {
    const { server, item, id } = prompt
    return Object.freeze({ server, item, id, name: names.get(prompt) ?? id })
  })
  return { entries, byName: tableOf(entries), conflicts }
}

/** No name on MCP holds a colon and every id does, so both fit into one table. */
function tableOf<Named extends { readonly id: string; readonly name: string }>(
  entries: readonly Named[],
): Map<string, Named> {
  const table = new Map<string, Named>()
  for (const entry of entries) {
    // A colon in the name of a server can make two ids equal; the first server has it.
    if (!table.has(entry.id)) table.set(entry.id, entry)
    if (!table.has(entry.name)) table.set(entry.name, entry)
  }
  return table
}
