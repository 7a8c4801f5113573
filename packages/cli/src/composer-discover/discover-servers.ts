import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '@quire/mcp/json'
import { parse as parseToml } from 'smol-toml'
import { type KnownFile, knownFiles } from './known-clients.ts'
import { parseLenientJson } from './lenient-json.ts'
import type { Machine } from './machine.ts'
import { type ServerEntry, toServerEntry } from './server-entry.ts'

export interface DiscoveredServer {
  /** Valid in a configuration, and no other server's. */
  readonly name: string
  /** `Cursor (/home/ada/.cursor/mcp.json)`, one for each place where this very server stands. */
  readonly origins: readonly string[]
  readonly entry: ServerEntry
}

export interface Discovery {
  readonly servers: readonly DiscoveredServer[]
  readonly warnings: readonly string[]
}

interface Found {
  readonly name: string
  readonly origins: string[]
  readonly entry: ServerEntry
}

const MAX_NAME = 64

/** The servers that the MCP clients of a machine know. Reads files, and starts nothing. */
export function discoverServers(machine: Machine): Discovery {
  const found: Found[] = []
  const warnings: string[] = []
  for (const file of knownFiles(machine)) {
    const content = read(machine, file, warnings)
    for (const place of file.places) {
      for (const [name, value] of serversAt(content, place)) take(file, name, value)
    }
  }
  return { servers: nameApart(found), warnings }

  function take({ client, path }: KnownFile, name: string, value: unknown): void {
    const entry = toServerEntry(value)
    if (typeof entry === 'string') {
      warnings.push(`${path}: the server ${JSON.stringify(name)} ${entry}; it is left out.`)
      return
    }
    if (isComposer(entry)) {
      warnings.push(`${path}: the server ${JSON.stringify(name)} is a composer itself; it is left out.`)
      return
    }
    const origin = `${client} (${path})`
    const same = found.find((other) => other.name === name && isDeepStrictEqual(other.entry, entry))
    if (!same) found.push({ name, origins: [origin], entry })
    else if (!same.origins.includes(origin)) same.origins.push(origin)
  }
}

function read(machine: Machine, { path, format }: KnownFile, warnings: string[]): unknown {
  try {
    const text = machine.readFile(path)
    if (text === undefined || text.trim() === '') return undefined
    if (format === 'json') return parseLenientJson(text)
    if (format === 'toml') return parseToml(text)
    if (/^\s*mcpServers\s*:/m.test(text))
      warnings.push(`${path}: names servers in YAML, which is not read; copy them by hand.`)
  } catch {
    // What a parser says may repeat what the file holds, secrets among it.
    warnings.push(`${path}: cannot be read, or is no ${format.toUpperCase()}; it is left out.`)
  }
  return undefined
}

function serversAt(content: unknown, place: readonly string[]): readonly [string, unknown][] {
  let value = content
  for (const key of place) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  if (Array.isArray(value)) return value.map((item, index) => [nameIn(item) ?? `server-${index + 1}`, item])
  return isRecord(value) ? Object.entries(value) : []
}

function nameIn(item: unknown): string | undefined {
  return isRecord(item) && typeof item.name === 'string' ? item.name : undefined
}

/** Started by itself it would start itself again. */
function isComposer(entry: ServerEntry): boolean {
  if (entry.transport !== 'stdio') return false
  const words = entry.command.join(' ')
  return /\bquire(?:\.mjs)?\b/.test(words) && /\bcomposer (?:serve|bridge)\b/.test(words)
}

function nameApart(found: readonly Found[]): readonly DiscoveredServer[] {
  const taken = new Set<string>()
  return found.map(({ name, origins, entry }) => {
    const valid = toValidName(name)
    let free = valid
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) {
      const suffix = `-${count}`
      free = `${valid.slice(0, MAX_NAME - suffix.length)}${suffix}`
    }
    taken.add(free.toLowerCase())
    return { name: free, origins, entry }
  })
}

/** Two underscores separate server and tool, and `composer` are we ourselves. */
function toValidName(name: string): string {
  const valid = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_NAME)
  if (valid === '') return 'server'
  return valid === 'composer' ? 'composer-server' : valid
}
