import { z } from 'zod'
import { ConfigFile } from './schema/config-file.ts'
import { DESCRIPTIONS } from './schema/descriptions.ts'
import { VARIABLE_TEXT } from './schema/fields.ts'

type Schema = z.core.JSONSchema.JSONSchema

/** For editors, which then know every key of a file that begins with `#:schema`. Also kept as `quire.schema.json`. */
export function configJsonSchema(): Schema {
  return { title: 'Quire composer', ...forEditors(z.toJSONSchema(ConfigFile, { io: 'input' }), '') }
}

/** An editor sees the file before variables are replaced, so wherever a value is bound, a text with a variable will do too. */
function forEditors(schema: Schema, path: string): Schema {
  const { anyOf, default: byDefault, description, ...rest } = schema
  const alternatives = (anyOf ?? [rest]).map((alternative) => withParts(alternative, path))
  const isOpen = alternatives.some(({ pattern }) => pattern === VARIABLE_TEXT.pattern)
  if (!isOpen && alternatives.some(isBound)) alternatives.push({ ...VARIABLE_TEXT })
  const [only] = alternatives
  const sentence = description ?? DESCRIPTIONS[path]
  return {
    ...(sentence !== undefined && { description: `${sentence}${defaultOf(byDefault)}` }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(alternatives.length === 1 ? only : { anyOf: alternatives }),
  }
}

function withParts(schema: Schema, path: string): Schema {
  const { properties, items, additionalProperties: values } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [key, partOf(part, path ? `${path}.${key}` : key)]),
      ),
    }),
    ...(items && !Array.isArray(items) && { items: partOf(items, `${path}[]`) }),
    ...(values !== undefined && { additionalProperties: partOf(values, `${path}.*`) }),
  }
}

function partOf(part: Schema | boolean, path: string): Schema | boolean {
  return typeof part === 'boolean' ? part : forEditors(part, path)
}

/** Whether there is a text with a variable that it would not take. */
function isBound({ type, minLength = 0, ...limits }: Schema): boolean {
  if (type === 'string') return minLength > SHORTEST_VARIABLE || Object.keys(limits).length > 0
  return type === 'integer' || type === 'number' || type === 'boolean'
}

const SHORTEST_VARIABLE = `\${A}`.length

function defaultOf(value: unknown): string {
  const isSaid = value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  return value === undefined || isSaid ? '' : ` Default: ${JSON.stringify(value)}.`
}
