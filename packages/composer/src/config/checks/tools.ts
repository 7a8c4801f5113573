import { isRecord } from '@quire/mcp/json'
import type { Tell } from '../config-fault.ts'
import { serverEntries, valueAt } from '../server-entries.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'

export function checkTools(document: TomlDocument, tell: Tell): void {
  const aliases = valueAt(document, ['tool_manager', 'aliases'])
  if (!isRecord(aliases)) return
  const servers = new Set(serverEntries(document).map(({ table }) => table.name))
  for (const [alias, target] of Object.entries(aliases)) {
    if (typeof target !== 'string') continue
    const path = ['tool_manager', 'aliases', alias]
    const [server, ...tool] = target.split(':')
    if (Object.hasOwn(aliases, target))
      tell(path, 'leads to another alias: write the tool itself, as "server:tool"')
    else if (target.includes(':') && !servers.has(server))
      tell(path, 'leads to a tool of a server that is not in this file')
    else if (target.includes(':') && tool.join(':') === '')
      tell(path, 'names a server and no tool: write "server:tool"')
  }
}
