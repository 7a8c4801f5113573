/** The parts of an OpenAPI document that tests look into. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly example?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

export interface Media {
  readonly schema: Schema
  readonly example?: unknown
}

export interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Answer
  readonly responses: Readonly<Record<string, Answer>>
}

export interface Document {
  readonly info: { readonly description?: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface Placed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function operationsOf({ paths }: Document): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

export function exampleOf(document: Document, { schema, example }: Media): unknown {
  return example ?? resolve(document, schema).example
}

function resolve({ components }: Document, schema: Schema): Schema {
  if (!schema.$ref) return schema
  return components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}
}

/** Each property in a schema and below it, by its path, and what it says of itself. */
export function propertiesIn(document: Document, schema: Schema, at: string): [string, string | undefined][] {
  const { properties = {}, items, additionalProperties, allOf = [], oneOf = [], anyOf = [] } = schema
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : []
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      [`${at}.${name}`, property.description ?? resolve(document, property).description] as [
        string,
        string | undefined,
      ],
      ...propertiesIn(document, property, `${at}.${name}`),
    ]),
    ...[...(items ? [items] : []), ...inner, ...allOf, ...oneOf, ...anyOf].flatMap((part) =>
      propertiesIn(document, part, at),
    ),
  ]
}

/** What is wrong with a value by a schema; nothing where it fits. */
export function faultsIn(document: Document, value: unknown, given: Schema, at = '$'): readonly string[] {
  const schema = resolve(document, given)
  const choices = schema.oneOf ?? schema.anyOf
  const all = (schema.allOf ?? []).flatMap((part) => faultsIn(document, value, part, at))
  if (choices) {
    const found = choices.map((choice) => faultsIn(document, value, choice, at))
    return found.some((faults) => faults.length === 0)
      ? all
      : [`${at} is none of ${choices.length}: ${found.flat()}`]
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is not of ${schema.enum}`]
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return [`${at} is no ${types}`]
  if (Array.isArray(value) && schema.items) {
    const { items } = schema
    return value.flatMap((item, index) => faultsIn(document, item, items, `${at}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return all
  return [...all, ...faultsInObject(document, value, schema, at)]
}

function faultsInObject(document: Document, value: object, schema: Schema, at: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties } = schema
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`)
  const faults = Object.entries(value).flatMap(([name, inner]) => {
    const property = properties[name] ?? additionalProperties
    if (property === false) return [`${at}.${name} is unknown`]
    return typeof property === 'object' ? faultsIn(document, inner, property, `${at}.${name}`) : []
  })
  return [...missing, ...faults]
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
