import { isRecord } from '@quire/mcp/json'
import type { PathFault } from './config-fault.ts'
import { maskedAt, maskedDocument } from './mask.ts'
import { MASK } from './secrets.ts'
import { serverEntries, valueAt } from './server-entries.ts'
import { isWithheld, movesOf, SERVER_KEY, type ServerMoves } from './server-moves.ts'
import type { Path } from './toml/layout.ts'
import { identityOf } from './toml/match-items.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

export interface Unmasked {
  readonly document: TomlDocument
  readonly faults: readonly PathFault[]
}

/** Where the old document has what the new one speaks of. */
interface Source {
  readonly path: Path
  /** Of a server alone. */
  readonly moves?: ServerMoves
}

/**
 * Puts the old secrets back where the new document has masks. A secret belongs to the server of its name, wherever that stands now, and to the
 * address and program it was given for; what cannot be told for certain is a fault.
 */
export function unmaskDocument(next: TomlDocument, old: TomlDocument): Unmasked {
  const faults: PathFault[] = []
  const shown = maskedDocument(old)
  const servers = new Map(serverEntries(old).map((entry) => [entry.table.name, entry]))
  const places = new Set(serverEntries(next).map(({ path }) => JSON.stringify(path)))
  return { document: Object.fromEntries(copyEntries(next, [], { path: [] })), faults }

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
    const moves = isKnown ? source.moves : undefined
    const isHeldBack = moves !== undefined && isWithheld(moves, path[SERVER_KEY])
    if (isKnown && !isHeldBack) return secret
    faults.push({ path, message: isHeldBack ? otherTarget(moves) : NOTHING_TO_KEEP })
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
    // A command is the old one word for word, or has no secret of it.
    const isCommand = source.moves !== undefined && path[SERVER_KEY] === 'command'
    const indices = isCommand
      ? items.keys().toArray()
      : itemIndices(items, Array.isArray(before) ? before : [])
    return indices.map((index) =>
      index === undefined ? undefined : { ...source, path: [...source.path, index] },
    )
  }

  function serverSource(item: unknown): Source | undefined {
    const entry = isRecord(item) ? servers.get(item.name) : undefined
    if (!entry || !isRecord(item)) return undefined
    const masked = valueAt(shown, entry.path)
    return { path: entry.path, moves: movesOf(item, entry.table, isRecord(masked) ? masked : undefined) }
  }
}

const NOTHING_TO_KEEP = 'is masked, and there is no value to keep, or not one alone: write the value itself'

function otherTarget({ program }: ServerMoves): string {
  const what = program ? 'program, folder or environment' : 'address'
  return `is masked, and its server has another ${what} now: a secret is not handed to another ${what}, write it again`
}

/**
 * For each item the old one whose secrets it has. Items with a name go by it. The others must look the same, and where several look the same
 * all of them must be there still: if one of three masked keys is gone, nobody can tell which.
 */
function itemIndices(items: readonly unknown[], before: readonly unknown[]): readonly (number | undefined)[] {
  const old = Map.groupBy(before.keys(), (at) => lookOf(before[at]))
  const now = Map.groupBy(items.keys(), (at) => lookOf(items[at]))
  return items.map((item, at) => {
    const same = old.get(lookOf(item)) ?? []
    const alike = now.get(lookOf(item)) ?? []
    return same.length === alike.length ? same[alike.indexOf(at)] : undefined
  })
}

function lookOf(item: unknown): string {
  const identity = isRecord(item) ? identityOf(item) : undefined
  return JSON.stringify(identity === undefined ? [item] : { identity })
}
