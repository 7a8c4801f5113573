import { isRecord } from '@quire/mcp/json'
import type { PathFault } from './config-fault.ts'
import type { Path } from './toml/layout.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface Substituted {
  readonly document: TomlDocument
  readonly faults: readonly PathFault[]
}

const REFERENCE = /\$\$|\$\{([^}]*)(\}?)/g
const NO_VARIABLE = `holds "\${" that begins no variable: write \${NAME} or \${NAME:-default}, and $$ for a dollar sign`
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/

/** Puts the variables' values into every text of the document but those that may have none. Each one that is missing is a fault. */
export function substitute(
  document: TomlDocument,
  variables: Variables,
  withheld: readonly PathFault[] = [],
): Substituted {
  const faults: PathFault[] = [...withheld]
  const without = new Set(withheld.map(({ path }) => JSON.stringify(path)))
  return { document: Object.fromEntries(entriesOf(document, [])), faults }

  function entriesOf(table: Readonly<Record<string, unknown>>, path: Path): [string, unknown][] {
    return Object.entries(table).map(([key, value]) => [key, copy(value, [...path, key])])
  }

  function copy(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return isWithout(path) ? '' : expand(value, path)
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index]))
    return isRecord(value) && !(value instanceof Date) ? Object.fromEntries(entriesOf(value, path)) : value
  }

  function isWithout(path: Path): boolean {
    return without.size > 0 && without.has(JSON.stringify(path))
  }

  function expand(text: string, path: Path): string {
    return text.replace(REFERENCE, (reference, content: string | undefined, end: string | undefined) => {
      if (content === undefined) return '$'
      const [, name, fallback] = VARIABLE.exec(content) ?? []
      if (end === '' || name === undefined || fallback?.includes('${')) {
        faults.push({ path, message: NO_VARIABLE, word: reference })
        return ''
      }
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
      if (value !== undefined) return value
      faults.push({
        path,
        message: `needs the variable ${name}, which is not set: set it, or write \${${name}:-default}`,
        word: reference,
      })
      return ''
    })
  }
}

/** The names of the variables that a text asks for. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, content]) => {
    const [, name] = VARIABLE.exec(content ?? '') ?? []
    return name === undefined ? [] : [name]
  })
}
