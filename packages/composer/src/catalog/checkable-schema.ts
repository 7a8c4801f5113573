import { isRecord } from '@quire/mcp/json'

export interface Watch {
  /** Called at every look at a schema; throws when it has been enough. */
  tick(): void
  /** Whether the arguments are short enough for what costs the square of their length. */
  readonly isShort: boolean
}

type Schema = Record<string, unknown>

const MAX_DEPTH = 64
const MAX_PARTS = 20_000

const NUMBERS = words(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
  'minItems maxItems minProperties maxProperties minContains maxContains',
)
const TEXTS = words('$schema $id $ref $anchor $recursiveRef')
const SCHEMAS = words(
  'items prefixItems additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties',
  'propertyNames allOf anyOf oneOf not if then else',
)
const SCHEMA_MAPS = words('properties $defs definitions dependentSchemas dependencies')
/** Not checked, or not always: expressions of strangers, what the validator does not know, and what may cost too much. */
const UNCHECKED = words('pattern patternProperties format $dynamicRef uniqueItems')
/** Where a part that is not checked would make a right value wrong. */
const INVERTING = words('not if then else maxContains unevaluatedItems unevaluatedProperties')

/**
 * A copy of a server's schema that is safe to check against: with the keywords that are known and nothing else, for whatever stands in a schema
 * can be referred to. It may let pass what the schema refuses, and never refuses what the schema lets pass.
 */
export function toCheckableSchema(schema: unknown, watch: Watch): Schema {
  const exact = copyWhole(schema, watch, false)
  return exact.isComplete ? exact.copy : copyWhole(schema, watch, true).copy
}

function copyWhole(
  schema: unknown,
  watch: Watch,
  isCareful: boolean,
): { readonly copy: Schema; readonly isComplete: boolean } {
  let parts = 0
  let isComplete = true
  const copy = copySchema(schema, 1)
  if (!isRecord(copy)) throw new Error('it is no JSON Schema')
  return { copy, isComplete }

  function copySchema(value: unknown, depth: number): unknown {
    count(depth)
    if (typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map((item) => copySchema(item, depth + 1))
    if (!isRecord(value)) throw new Error('it has a value where a schema belongs')
    const copy: Schema = Object.create(null)
    for (const [keyword, content] of Object.entries(value)) {
      if (UNCHECKED.has(keyword)) isComplete = false
      if (isCareful && isHarmful(keyword, value)) continue
      const copied = copyKeyword(keyword, content, depth)
      if (copied !== undefined) copy[isCareful && keyword === 'oneOf' ? 'anyOf' : keyword] = copied
    }
    return watched(copy, value, watch)
  }

  function copyKeyword(keyword: string, content: unknown, depth: number): unknown {
    if (NUMBERS.has(keyword)) return typeof content === 'number' ? content : undefined
    if (TEXTS.has(keyword)) return typeof content === 'string' ? content : undefined
    if (SCHEMAS.has(keyword)) return copySchema(content, depth + 1)
    if (SCHEMA_MAPS.has(keyword)) return copyMap(content, depth + 1, copyDependency)
    if (keyword === 'dependentRequired') return copyMap(content, depth + 1, toTexts)
    if (keyword === 'required') return toTexts(content, depth)
    if (keyword === 'type') return typeof content === 'string' ? content : toTexts(content, depth)
    if (keyword === 'enum') return Array.isArray(content) ? counted(content, depth) : undefined
    if (keyword === 'const') return counted(content, depth)
    return undefined
  }

  function copyMap(
    content: unknown,
    depth: number,
    copyValue: (value: unknown, depth: number) => unknown,
  ): Schema | undefined {
    if (!isRecord(content)) return undefined
    const copy: Schema = Object.create(null)
    for (const [name, value] of Object.entries(content)) {
      const copied = copyValue(value, depth)
      if (copied !== undefined) copy[name] = copied
    }
    return copy
  }

  /** The values of `dependencies` may be lists of names. */
  function copyDependency(value: unknown, depth: number): unknown {
    return Array.isArray(value) ? toTexts(value, depth) : copySchema(value, depth)
  }

  function toTexts(content: unknown, depth: number): readonly string[] | undefined {
    if (!Array.isArray(content)) return undefined
    return content.filter((item) => {
      count(depth)
      return typeof item === 'string'
    })
  }

  /** Compared with and never looked into for schemas, so it may stay what it is. */
  function counted(value: unknown, depth: number): unknown {
    count(depth)
    if (typeof value === 'object' && value !== null)
      for (const item of Object.values(value)) counted(item, depth + 1)
    return value
  }

  function count(depth: number): void {
    parts += 1
    if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`)
    if (parts > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`)
  }
}

function isHarmful(keyword: string, schema: Schema): boolean {
  if (keyword === 'additionalProperties') return schema.patternProperties !== undefined
  if (keyword === 'oneOf') return schema.anyOf !== undefined
  return INVERTING.has(keyword)
}

/** The validator reads `$recursiveAnchor` once at each look, so that a schema that refers to itself without end still ends. */
function watched(copy: Schema, { $recursiveAnchor, uniqueItems }: Schema, watch: Watch): Schema {
  Object.defineProperty(copy, '$recursiveAnchor', {
    get() {
      watch.tick()
      return $recursiveAnchor === true
    },
  })
  if (uniqueItems === true) Object.defineProperty(copy, 'uniqueItems', { get: () => watch.isShort })
  return copy
}

function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '))
}
