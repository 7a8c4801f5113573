import type { Conflict, ToolEntry } from './composed-catalog.ts'
import { isMcpName } from './mcp-name.ts'

/** Further names of tools. An alias takes no name from anybody; one that leads nowhere, or cannot be, is told among the conflicts. */
export function resolveAliases(
  aliases: Readonly<Record<string, string>>,
  findTool: (name: string) => ToolEntry | undefined,
): { readonly entries: readonly ToolEntry[]; readonly conflicts: readonly Conflict[] } {
  const entries: ToolEntry[] = []
  const conflicts: Conflict[] = []
  for (const [alias, target] of Object.entries(aliases)) {
    const entry = findTool(target)
    const holder = findTool(alias)
    if (holder) {
      const servers = [...new Set([holder.server, ...(entry ? [entry.server] : [])])]
      refuse(alias, servers, `The alias is left out: ${holder.id} has this name already. Choose another.`)
    } else if (!isMcpName(alias)) {
      refuse(
        alias,
        [],
        'The alias is left out: use up to 64 letters, digits, "_" and "-", which every client takes.',
      )
    } else if (!entry) {
      refuse(
        alias,
        [],
        `The alias leads nowhere: no server offers "${target}" now. Name a tool as "server:tool".`,
      )
    } else {
      entries.push(Object.freeze({ ...entry, name: alias }))
    }
  }
  return { entries, conflicts }

  function refuse(name: string, servers: readonly string[], resolution: string): void {
    conflicts.push({ type: 'tool', name, servers, resolution })
  }
}
