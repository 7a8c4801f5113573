/** What a form needs to know of a JSON Schema. It was written by others: nothing of it is taken for granted. */
export type Schema = Readonly<Record<string, unknown>>

export type FieldPlan =
  | { readonly kind: 'object'; readonly fields: readonly ObjectField[] }
  | { readonly kind: 'list'; readonly item: Schema }
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'text' | 'truth' | 'json' }
  | { readonly kind: 'number'; readonly isWhole: boolean }

export interface ObjectField {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** Deeper ones are written as JSON: schemas may lead back to themselves. */
const DEEPEST = 5
const MOST_REFERENCES = 10

/** How a value of this schema is asked for. Whatever has no better form is asked for as JSON. */
export function planField(given: unknown, root: Schema, depth = 0): FieldPlan {
  const schema = resolveSchema(given, root)
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum }
  if ('const' in schema) return { kind: 'choice', values: [schema.const] }
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text' }
    case 'boolean':
      return { kind: 'truth' }
    case 'number':
      return { kind: 'number', isWhole: false }
    case 'integer':
      return { kind: 'number', isWhole: true }
    case 'array':
      return isTable(schema.items) && depth < DEEPEST
        ? { kind: 'list', item: schema.items }
        : { kind: 'json' }
    case 'object':
      return planObject(schema, depth)
    default:
      return { kind: 'json' }
  }
}

function planObject(schema: Schema, depth: number): FieldPlan {
  const properties = schema.properties
  const isOpen = depth > 0 && !isTable(properties)
  if (isOpen || depth >= DEEPEST) return { kind: 'json' }
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(isTable(properties) ? properties : {}).map(([name, property]) => ({
    name,
    schema: toSchema(property),
    isRequired: required.includes(name),
  }))
  return {
    kind: 'object',
    fields: fields.sort((one, other) => Number(other.isRequired) - Number(one.isRequired)),
  }
}

/** Follows references within the document, and looks through "this or null". */
export function resolveSchema(given: unknown, root: Schema): Schema {
  let schema = toSchema(given)
  for (let count = 0; count < MOST_REFERENCES; count += 1) {
    const reference = schema.$ref
    const [only, ...others] = alternativesOf(schema)
    if (typeof reference === 'string') schema = { ...lookUp(reference, root), ...without(schema, '$ref') }
    else if (only !== undefined && others.length === 0)
      schema = { ...only, ...without(schema, 'anyOf', 'oneOf') }
    else return schema
  }
  return {}
}

/** What the form holds before anybody has written in it: what is required and can be known, and what the schema says itself. */
export function startValue(given: unknown, root: Schema, isRequired: boolean, depth = 0): unknown {
  const schema = resolveSchema(given, root)
  if ('default' in schema) return schema.default
  if (!isRequired) return undefined
  const plan = planField(schema, root, depth)
  if (plan.kind === 'truth') return false
  if (plan.kind === 'list') return []
  if (plan.kind === 'choice') return plan.values.length === 1 ? plan.values[0] : undefined
  if (plan.kind !== 'object') return undefined
  const entries = plan.fields.map(
    (field) => [field.name, startValue(field.schema, root, field.isRequired, depth + 1)] as const,
  )
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

export function descriptionOf({ description }: Schema): string | undefined {
  return typeof description === 'string' && description !== '' ? description : undefined
}

export function isTable(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toSchema(value: unknown): Schema {
  return isTable(value) ? value : {}
}

function typeOf(schema: Schema): unknown {
  const { type } = schema
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  if (types.length > 1) return undefined
  return types[0] ?? (isTable(schema.properties) ? 'object' : undefined)
}

/** Without "or null", which an empty field stands for. */
function alternativesOf(schema: Schema): readonly Schema[] {
  const found = schema.anyOf ?? schema.oneOf
  return Array.isArray(found) ? found.map(toSchema).filter(({ type }) => type !== 'null') : []
}

function lookUp(reference: string, root: Schema): Schema {
  if (!reference.startsWith('#')) return {}
  const steps = reference.split('/').slice(1)
  const found = steps.reduce<unknown>((place, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return isTable(place) && Object.hasOwn(place, name) ? place[name] : undefined
  }, root)
  return toSchema(found)
}

function without(schema: Schema, ...names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
