import { isRecord } from '@quire/mcp/json'
import { RpcFault } from '../rpc.ts'
import { HEADER_MISMATCH } from './rpc-codes.ts'

interface Declaration {
  readonly path: readonly string[]
  readonly header: string
  readonly isNumeric: boolean
}

const KEY = 'x-mcp-header'
/** RFC 9110 §5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean', 'number'])
const NUMERIC: ReadonlySet<unknown> = new Set(['integer', 'number'])
const DECIMAL = /^-?\d+(\.\d+)?$/
const ENCODED = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MAX_DEPTH = 64

export interface ParamHeaders {
  /** Throws an `RpcFault` where a header that mirrors an argument is missing or says something else than the argument. */
  check(inputSchema: object, args: unknown, headers: Readonly<Record<string, string>>): void
}

/** Revision 2026-07-28, "Custom headers from tool parameters". */
export function createParamHeaders(): ParamHeaders {
  const known = new WeakMap<object, readonly Declaration[]>()

  function declarationsOf(schema: object): readonly Declaration[] {
    const found = known.get(schema) ?? findDeclarations(schema)
    known.set(schema, found)
    return found
  }

  return Object.freeze({
    check(inputSchema, args, headers) {
      for (const declaration of declarationsOf(inputSchema)) checkOne(declaration, args, headers)
    },
  } satisfies ParamHeaders)
}

function checkOne(
  { path, header, isNumeric }: Declaration,
  args: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const argument = valueAt(args, path)
  const expected = toText(argument)
  if (expected === undefined) return
  const name = `Mcp-Param-${header}`
  const sent = Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined
  if (sent === undefined)
    throw mismatch(name, `the argument "${path.join('.')}" is given and the header is not`)
  const value = decode(sent)
  if (value === undefined) throw mismatch(name, 'the header is not valid base64 of UTF-8')
  const isSame =
    isNumeric && typeof argument === 'number' && DECIMAL.test(value)
      ? Number(value) === argument
      : value === expected
  if (!isSame) throw mismatch(name, `the header and the argument "${path.join('.')}" differ`)
}

/** Empty where a schema declares wrongly: no client can follow it then, and none is held to it. */
function findDeclarations(schema: object): readonly Declaration[] {
  const found: Declaration[] = []
  const names = new Set<string>()

  function visit(node: unknown, path: readonly string[]): boolean {
    if (!isRecord(node) || path.length > MAX_DEPTH) return true
    if (path.length > 0 && KEY in node && !declare(node, path)) return false
    const { properties } = node
    if (!isRecord(properties)) return true
    return Object.entries(properties).every(([name, child]) => visit(child, [...path, name]))
  }

  function declare(node: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
    const header = node[KEY]
    if (typeof header !== 'string' || !TOKEN.test(header) || !TYPES.has(node.type)) return false
    if (names.has(header.toLowerCase())) return false
    names.add(header.toLowerCase())
    found.push({ path, header, isNumeric: NUMERIC.has(node.type) })
    return true
  }

  return visit(schema, []) ? found : []
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let node = root
  for (const key of path) {
    if (!isRecord(node) || !Object.hasOwn(node, key)) return undefined
    node = node[key]
  }
  return node
}

/** Undefined for what no header is expected for. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined
  return String(value)
}

function decode(text: string): string | undefined {
  const [, encoded] = ENCODED.exec(text) ?? []
  if (encoded === undefined) return text
  if (!BASE64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function mismatch(header: string, why: string): RpcFault {
  return new RpcFault(HEADER_MISMATCH, `The header ${header} disagrees with the body: ${why}.`, {
    mismatch: { header, body: why },
  })
}
