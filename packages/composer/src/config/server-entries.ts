import { isRecord } from '@quire/mcp/json'
import type { Path } from './toml/layout.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

/** A server as the document has it, right or wrong. */
export interface ServerEntry {
  readonly path: Path
  readonly kind: 'stdio' | 'remote' | 'embedded'
  readonly table: TomlDocument
}

const LISTS: readonly { readonly path: readonly string[]; readonly kind: ServerEntry['kind'] }[] = [
  { path: ['servers', 'proxied', 'stdio'], kind: 'stdio' },
  { path: ['servers', 'proxied', 'sse'], kind: 'remote' },
  { path: ['servers', 'proxied', 'http'], kind: 'remote' },
  { path: ['servers', 'proxied', 'streamable-http'], kind: 'remote' },
  { path: ['servers', 'proxied', 'streamable_http'], kind: 'remote' },
  { path: ['servers', 'embedded', 'servers'], kind: 'embedded' },
]

export function serverEntries(document: unknown): readonly ServerEntry[] {
  return LISTS.flatMap(({ path, kind }) =>
    tablesAt(document, path).map(({ table, index }) => ({ path: [...path, index], kind, table })),
  )
}

/** The tables of a list; what is none is left out. */
export function tablesAt(
  document: unknown,
  path: readonly string[],
): readonly { readonly table: TomlDocument; readonly index: number }[] {
  const list = valueAt(document, path)
  if (!Array.isArray(list)) return []
  return list.flatMap((table: unknown, index) => (isRecord(table) ? [{ table, index }] : []))
}

export function valueAt(document: unknown, path: Path): unknown {
  let value = document
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part]
    else if (isRecord(value) && Object.hasOwn(value, part)) value = value[part]
    else return undefined
  }
  return value
}

/** Of a switch, which may be written as a text too. */
export function isOn(value: unknown, byDefault: boolean): boolean {
  return value === undefined ? byDefault : value === true || value === 'true'
}
