import { isRecord } from '@quire/mcp/json'
import type { z } from 'zod'
import type { PathFault } from './config-fault.ts'
import { configJsonSchema } from './json-schema.ts'
import type { Path } from './toml/layout.ts'

/** Of one table. */
const MOST_KEYS = 100

type Issue = z.core.$ZodIssue

/** What a schema found, as sentences of ours, up to a bound. The issues must tell their input. */
export function explainIssues(issues: readonly Issue[], most: number): PathFault[] {
  let schema: unknown
  const schemaOf = () => {
    schema ??= configJsonSchema()
    return schema
  }
  return issues.slice(0, most).flatMap((issue) => explain(issue, [], schemaOf))
}

function explain(issue: Issue, parent: Path, schemaOf: () => unknown): PathFault[] {
  const path = [...parent, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysAt(path, schemaOf())
      return issue.keys
        .slice(0, MOST_KEYS)
        .map((key) => ({ path: [...path, key], message: unknownKey(key, known) }))
    }
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path, message }))
    case 'invalid_union': {
      const closest = issue.errors.find((branch) => branch.some(isAboutAPart))
      return closest
        ? closest.flatMap((inner) => explain(inner, path, schemaOf))
        : [{ path, message: sentenceOf(issue) }]
    }
    default:
      return [{ path, message: sentenceOf(issue) }]
  }
}

/** Of the ways to write a value, the one that was meant is the one that got past the first look. */
function isAboutAPart(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys' || issue.code === 'too_small'
}

function sentenceOf(issue: Issue): string {
  // The library's own sentence is left for tables alone: every other field brings its own.
  const sentence = issue.message.startsWith('Invalid input') ? 'must be a table' : issue.message
  const isMissing = issue.input === undefined && WRONG.has(issue.code)
  return isMissing && !sentence.startsWith('is missing') ? `is missing: it ${sentence}` : sentence
}

const WRONG: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

function unknownKey(key: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name) }))
    .sort((one, other) => one.distance - other.distance)[0]
  const isNear = near !== undefined && near.distance <= Math.max(2, Math.floor(near.name.length / 3))
  if (isNear) return `is not a known key: did you mean "${near.name}"?`
  return known.length > 0 ? `is not a known key: here are ${known.join(', ')}` : 'is not a known key'
}

/** Without those that are known only in order to be refused. */
function keysAt(path: Path, root: unknown): readonly string[] {
  let schema = root
  for (const part of path) {
    const table = tableOf(schema)
    schema =
      typeof part === 'number'
        ? table?.items
        : isRecord(table?.properties)
          ? table.properties[part]
          : undefined
  }
  const properties = tableOf(schema)?.properties
  return isRecord(properties)
    ? Object.keys(properties).filter((key) => !isRecord(properties[key]) || !('not' in properties[key]))
    : []
}

function tableOf(schema: unknown): Record<string, unknown> | undefined {
  if (!isRecord(schema)) return undefined
  return Array.isArray(schema.anyOf)
    ? schema.anyOf.filter(isRecord).find(({ type }) => type === 'object')
    : schema
}

function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 8) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [index, wanted] of [...other].entries()) {
      const replaced = (row[index] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
