import { isRecord } from '@quire/mcp/json'
import type { PathFault } from './config-fault.ts'
import { documentOf } from './mask.ts'
import { serverEntries } from './server-entries.ts'
import { isWithheld, movesOf, SERVER_KEY } from './server-moves.ts'
import { variablesIn } from './substitute.ts'
import type { Path } from './toml/layout.ts'
import { identityOf } from './toml/match-items.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

const OWN = ['QUIRE_CONFIG_DIR', 'MCP_COMPOSE_CONFIG_DIR']

/**
 * Variables of our environment that a text which came over the API asks for, and the old one does not ask for in the same place and words: one
 * sentence for each. Whoever may name any variable and any place could have all of our secrets shown or sent to them.
 */
export function foreignVariables(oldText: string, newText: string): readonly string[] {
  const next = documentOf(newText)
  const servers = new Map(serverEntries(next).map(({ path, table }) => [JSON.stringify(path), table]))
  const sentences = foreignUses(documentOf(oldText), next).map(({ path, message }) => {
    const server = servers.get(JSON.stringify(path.slice(0, SERVER_KEY)))
    return `${server ? `Server "${String(server.name)}"` : `[${String(path[0])}]`} ${message}.`
  })
  return [...new Set(sentences)]
}

/** The same, by their places in the new document. */
export function foreignUses(old: TomlDocument, next: TomlDocument): readonly PathFault[] {
  const known = new Set(usesOf(old).map(({ key }) => key))
  const before = new Map(serverEntries(old).map(({ table }) => [table.name, table]))
  const moves = new Map(
    serverEntries(next).map(({ path, table }) => [
      JSON.stringify(path),
      movesOf(table, before.get(table.name)),
    ]),
  )
  return usesOf(next).flatMap(({ path, key, names }): PathFault[] => {
    const move = moves.get(JSON.stringify(path.slice(0, SERVER_KEY)))
    const hasMoved = move !== undefined && isWithheld(move, path[SERVER_KEY])
    if (known.has(key) && !hasMoved) return []
    const why = known.has(key) ? OTHER_TARGET : NOT_GIVEN
    return names.map((name) => ({ path, message: `asks for the variable ${name}, ${why}` }))
  })
}

const ASK = 'write it there and reload it, or send the value itself'
const NOT_GIVEN = `which the configuration file does not give to it in this place and these words: ${ASK}`
const OTHER_TARGET = `which the configuration file gives to another address or program: ${ASK}`

/** A text with variables in it. */
interface Use {
  readonly path: Path
  /** The same for the same words in the same place, wherever its server or item stands in the file. */
  readonly key: string
  readonly names: readonly string[]
}

function usesOf(document: TomlDocument): readonly Use[] {
  const servers = new Map(serverEntries(document).map(({ path, table }) => [JSON.stringify(path), table]))
  return usesIn(document, [], [])

  function usesIn(value: unknown, path: Path, place: readonly unknown[]): readonly Use[] {
    if (typeof value === 'string') {
      const names = variablesIn(value).filter((name) => !OWN.includes(name))
      return names.length > 0 ? [{ path, key: JSON.stringify([place, value]), names }] : []
    }
    if (Array.isArray(value)) {
      return value.flatMap((item, at) => usesIn(item, [...path, at], placeOf(item, [...path, at], place)))
    }
    if (!isRecord(value)) return []
    return Object.entries(value).flatMap(([key, item]) => usesIn(item, [...path, key], [...place, key]))
  }

  function placeOf(item: unknown, path: Path, list: readonly unknown[]): readonly unknown[] {
    const server = servers.get(JSON.stringify(path))
    if (server) return [{ server: server.name }]
    return [...list, { item: isRecord(item) ? identityOf(item) : undefined }]
  }
}
