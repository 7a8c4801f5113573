import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { ToolDeclaration } from '../model/model.ts'
import type { Slot } from './intents.ts'
import type { Values } from './wish.ts'

/** What properties of tools are called, the likeliest first. */
const PROPERTIES: readonly (readonly [slot: Slot, names: readonly string[]])[] = Object.freeze([
  ['code', ['code', 'cell_source', 'source', 'script', 'snippet', 'python', 'input']],
  ['source', ['cell_source', 'new_source', 'source', 'content', 'text', 'code']],
  ['cellType', ['cell_type', 'type', 'kind']],
  ['cell', ['cell_index', 'index', 'cell_number', 'cell', 'cell_indices', 'indices']],
  ['cells', ['cell_indices', 'indices', 'cells', 'cell_index', 'index']],
  ['position', ['cell_index', 'index', 'position']],
  ['path', ['notebook_path', 'path', 'file_path', 'filename', 'file', 'notebook']],
  ['notebook', ['notebook_name', 'notebook', 'name']],
  ['folder', ['path', 'folder', 'directory', 'dir']],
  ['mode', ['mode']],
  ['query', ['query', 'pattern', 'q', 'text', 'keyword']],
])

export interface Filled {
  readonly args: JsonObject
  readonly slots: ReadonlySet<Slot>
  /** Required, and not filled. */
  readonly missing: readonly string[]
}

/** Only properties that the tool's schema knows, in the type that it wants. */
export function fillArguments(tool: ToolDeclaration, values: Values): Filled {
  const properties = propertiesOf(tool)
  const args: Record<string, JsonValue> = {}
  const slots = new Set<Slot>()
  for (const [slot, names] of PROPERTIES) {
    const value = values[slot]
    if (value === undefined) continue
    for (const name of names) {
      const fitting = name in args ? undefined : fit(properties.get(name), value)
      if (fitting === undefined) continue
      args[name] = fitting
      slots.add(slot)
      break
    }
  }
  return { args, slots, missing: missingFrom(tool, args) }
}

export function missingFrom(tool: ToolDeclaration, args: JsonObject): readonly string[] {
  const { required } = tool.inputSchema
  return Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && !Object.hasOwn(args, name))
    : []
}

export function unknownIn(tool: ToolDeclaration, args: JsonObject): readonly string[] {
  if (tool.inputSchema.additionalProperties !== false) return []
  const properties = propertiesOf(tool)
  return Object.keys(args).filter((name) => !properties.has(name))
}

export function propertiesOf({ inputSchema }: ToolDeclaration): ReadonlyMap<string, JsonObject> {
  const { properties } = inputSchema
  if (!isJsonObject(properties)) return new Map()
  return new Map(
    Object.entries(properties).map(([name, schema]) => [name, isJsonObject(schema) ? schema : {}]),
  )
}

function fit(schema: JsonObject | undefined, value: NonNullable<Values[Slot]>): JsonValue | undefined {
  if (!schema) return undefined
  const choices = choicesOf(schema)
  if (choices && !choices.includes(asJson(value))) return undefined
  const types = typesOf(schema)
  const takes = (type: string) => types.length === 0 || types.includes(type)
  if (typeof value === 'string') return takes('string') ? value : undefined
  if (typeof value === 'number') {
    if (takes('integer') || takes('number')) return value
    if (takes('array')) return [value]
    return takes('string') ? String(value) : undefined
  }
  if (takes('array')) return [...value]
  const [only, ...others] = value
  return only !== undefined && others.length === 0 ? fit(schema, only) : undefined
}

function asJson(value: NonNullable<Values[Slot]>): JsonValue {
  return typeof value === 'object' ? [...value] : value
}

function typesOf(schema: JsonObject): readonly string[] {
  return variantsOf(schema).flatMap(({ type }) =>
    [type].flat().filter((one): one is string => typeof one === 'string'),
  )
}

function choicesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const lists = variantsOf(schema).flatMap((variant) => (Array.isArray(variant.enum) ? [variant.enum] : []))
  return lists.length > 0 ? lists.flat() : undefined
}

function variantsOf(schema: JsonObject): readonly JsonObject[] {
  const variants = schema.anyOf ?? schema.oneOf
  return [schema, ...(Array.isArray(variants) ? variants.filter(isJsonObject) : [])]
}
