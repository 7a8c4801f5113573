import { isRecord } from '@quire/mcp/json'
import { pathName, type Tell } from '../config-fault.ts'
import { isOn, type ServerEntry, serverEntries } from '../server-entries.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'

export function checkServers(document: TomlDocument, tell: Tell): void {
  const entries = serverEntries(document)
  const first = new Map<unknown, ServerEntry>()
  for (const entry of entries) {
    const { name } = entry.table
    const same = first.get(name)
    if (same && typeof name === 'string')
      tell(
        [...entry.path, 'name'],
        `is the name of ${pathName(same.path)} too: every server needs one of its own`,
      )
    else first.set(name, entry)
    checkHealth(entry, tell)
    checkTimes(entry, document, tell)
    checkCredentials(entry, tell)
  }
}

function checkHealth({ path, table }: ServerEntry, tell: Tell): void {
  if (!isOn(table.health_check_enabled, false)) return
  if (table.health_check_method === 'tool' && table.health_check_tool === undefined)
    tell([...path, 'health_check_method'], 'is "tool", which needs health_check_tool: the tool to call')
  if (table.health_check_method === 'ping' && table.health_check_tool !== undefined)
    tell([...path, 'health_check_tool'], 'is never called while health_check_method is "ping"')
}

function checkTimes({ path, table }: ServerEntry, document: TomlDocument, tell: Tell): void {
  if (table.max_total_timeout === undefined) return
  const general = isRecord(document.composer) ? document.composer.max_tool_invocation_time : undefined
  const timeout = Number(table.timeout ?? general ?? 30)
  if (Number(table.max_total_timeout) < timeout)
    tell([...path, 'max_total_timeout'], 'is less than the timeout of a single call')
}

function checkCredentials({ path, table }: ServerEntry, tell: Tell): void {
  if (table.auth_token === undefined || !isRecord(table.headers)) return
  const header = Object.keys(table.headers).find((name) => name.toLowerCase() === 'authorization')
  if (header) tell([...path, 'headers', header], 'says the same as auth_token: leave one of them out')
}
