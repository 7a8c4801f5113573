import { isRecord } from '@quire/mcp/json'
import { pathName } from './config-fault.ts'
import { MASK } from './secrets.ts'
import { serverEntries, valueAt } from './server-entries.ts'
import type { Path } from './toml/layout.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

export interface Rewritten {
  /** By name. */
  readonly servers: ReadonlySet<string>
  /** Places outside of servers, such as `composer.port`. */
  readonly places: readonly string[]
}

/**
 * Where a document says another thing than what is shown of a secret or a variable. Whether it is the same as what is hidden there must not be
 * told to somebody who only asks: they could guess until it is.
 */
export function rewrittenIn(given: TomlDocument, shown: TomlDocument): Rewritten {
  const before = new Map(serverEntries(shown).map(({ table }) => [table.name, table]))
  const servers = serverEntries(given).flatMap(({ table }) => {
    const old = before.get(table.name)
    return old && rewrittenPaths(table, old).length > 0 ? [String(table.name)] : []
  })
  const { servers: _, ...rest } = shown
  return { servers: new Set(servers), places: rewrittenPaths(given, rest).map(pathName) }
}

export function hasHidden(shown: TomlDocument): boolean {
  return hiddenPaths(shown, []).length > 0
}

function rewrittenPaths(given: TomlDocument, shown: TomlDocument): readonly Path[] {
  return hiddenPaths(shown, []).filter((path) => valueAt(given, path) !== valueAt(shown, path))
}

function hiddenPaths(value: unknown, path: Path): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => hiddenPaths(item, [...path, at]))
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => hiddenPaths(item, [...path, key]))
  const isHidden = typeof value === 'string' && (value.includes(MASK) || value.includes('$'))
  return isHidden ? [path] : []
}
