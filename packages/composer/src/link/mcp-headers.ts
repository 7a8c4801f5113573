import { isRecord } from '@quire/mcp/json'
import type { Params } from '../rpc.ts'

/** An argument that a tool wants mirrored in a header. */
export interface HeaderDeclaration {
  readonly header: string
  readonly path: readonly string[]
}

const NAME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const PLAIN = /^[\t\x20-\x7e]+$/
const ENCODED = /^=\?base64\?.*\?=$/s
const MAX_DEPTH = 32

/** What the protocol of 2026-07-28 repeats of a request in its headers. */
export function toMcpHeaders(
  method: string,
  params: Params,
  declarations: readonly HeaderDeclaration[],
): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-method': method }
  const name = params[NAME_SOURCES.get(method) ?? '']
  if (typeof name === 'string') headers['mcp-name'] = encodeValue(name)
  for (const { header, path } of declarations) {
    const value = toText(valueAt(params.arguments, path))
    if (value !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = encodeValue(value)
  }
  return headers
}

/** Found where the protocol allows them: on properties, and on properties of these. */
export function headerDeclarations(schema: unknown): readonly HeaderDeclaration[] {
  return declarationsIn(schema, [])
}

function declarationsIn(schema: unknown, path: readonly string[]): HeaderDeclaration[] {
  if (!isRecord(schema) || path.length > MAX_DEPTH) return []
  const header = schema['x-mcp-header']
  const own = typeof header === 'string' && TOKEN.test(header) && path.length > 0 ? [{ header, path }] : []
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  return [...own, ...properties.flatMap(([name, inner]) => declarationsIn(inner, [...path, name]))]
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return isExact ? String(value) : undefined
}

/** What a header cannot carry as it is travels in base64. */
function encodeValue(value: string): string {
  const isPlain = PLAIN.test(value) && value === value.trim() && !ENCODED.test(value)
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}
