import { isRecord } from '@quire/mcp/json'
import type { PathFault } from './config-fault.ts'
import { maskedAt, maskedDocument } from './mask.ts'
import { originOf } from './origin.ts'
import { MASK } from './secrets.ts'
import { serverEntries, valueAt } from './server-entries.ts'
import type { Path } from './toml/layout.ts'
import { identityOf } from './toml/match-items.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

export interface Unmasked {
  readonly document: TomlDocument
  readonly faults: readonly PathFault[]
}

/** Where in a path the key of a server stands: `servers.proxied.sse[0].env`. */
const SERVER_KEY = 4

/** Where the old document has what the new one speaks of. */
interface Source {
  readonly path: Path
  /** The server has another address now. */
  readonly hasMoved: boolean
}

/**
 * Puts the old secrets back where the new document has masks. A secret belongs to the server of its name, wherever that stands now, and to the
 * address it was given for; what cannot be told for certain is a fault.
 */
export function unmaskDocument(next: TomlDocument, old: TomlDocument): Unmasked {
  const faults: PathFault[] = []
  const shown = maskedDocument(old)
  const servers = new Map(serverEntries(old).map((entry) => [entry.table.name, entry]))
  const places = new Set(serverEntries(next).map(({ path }) => JSON.stringify(path)))
  return { document: Object.fromEntries(copyEntries(next, [], { path: [], hasMoved: false })), faults }

  function copyEntries(table: TomlDocument, path: Path, source: Source | undefined): [string, unknown][] {
    return Object.entries(table).map(([key, value]) => [
      key,
      copy(value, [...path, key], source && { ...source, path: [...source.path, key] }),
    ])
  }

  function copy(value: unknown, path: Path, source: Source | undefined): unknown {
    if (typeof value === 'string') return value.includes(MASK) ? secretOf(value, path, source) : value
    if (Array.isArray(value)) {
      const sources = sourcesOf(value, path, source)
      return value.map((item, at) => copy(item, [...path, at], sources[at]))
    }
    return isRecord(value) && !(value instanceof Date)
      ? Object.fromEntries(copyEntries(value, path, source))
      : value
  }

  function secretOf(text: string, path: Path, source: Source | undefined): unknown {
    const secret = source && valueAt(old, source.path)
    const isKnown = source && secret !== undefined && (secret === text || maskedAt(old, source.path) === text)
    // The program that serves the address has its environment from us, not from there.
    if (isKnown && (!source.hasMoved || path[SERVER_KEY] === 'env')) return secret
    faults.push({ path, message: isKnown ? OTHER_ADDRESS : NOTHING_TO_KEEP })
    return text
  }

  function sourcesOf(
    items: readonly unknown[],
    path: Path,
    source: Source | undefined,
  ): readonly (Source | undefined)[] {
    const isServers = items.some((_, at) => places.has(JSON.stringify([...path, at])))
    if (isServers) return items.map(serverSource)
    if (!source) return []
    const before = valueAt(shown, source.path)
    const indices = Array.isArray(before) ? itemIndices(items, before, path.at(-1) === 'command') : []
    return indices.map((index) =>
      index === undefined ? undefined : { ...source, path: [...source.path, index] },
    )
  }

  function serverSource(item: unknown): Source | undefined {
    const entry = isRecord(item) ? servers.get(item.name) : undefined
    if (!entry || !isRecord(item)) return undefined
    const masked = valueAt(shown, [...entry.path, 'url'])
    return { path: entry.path, hasMoved: originOf(masked) !== originOf(item.url) }
  }
}

const NOTHING_TO_KEEP = 'is masked, and there is no value to keep, or not one alone: write the value itself'
const OTHER_ADDRESS =
  'is masked, and its server has another address now: a secret is not handed to another address, write it again'

/**
 * For each item the old one whose secrets it has. Items with a name go by it. The others must look the same, and where several look the same
 * all of them must be there still: if one of three masked keys is gone, nobody can tell which.
 */
function itemIndices(
  items: readonly unknown[],
  before: readonly unknown[],
  byNeighbour: boolean,
): readonly (number | undefined)[] {
  const old = groupOf(before, byNeighbour)
  const now = groupOf(items, byNeighbour)
  return items.map((item, at) => {
    const look = lookOf(item, byNeighbour ? items[at - 1] : undefined)
    const same = old.get(look) ?? []
    return same.length === now.get(look)?.length ? same[now.get(look)?.indexOf(at) ?? 0] : undefined
  })
}

function groupOf(items: readonly unknown[], byNeighbour: boolean): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(items.keys(), (at) => lookOf(items[at], byNeighbour ? items[at - 1] : undefined))
}

function lookOf(item: unknown, neighbour: unknown): string {
  const identity = isRecord(item) ? identityOf(item) : undefined
  return JSON.stringify(identity === undefined ? [item, neighbour] : { identity })
}
