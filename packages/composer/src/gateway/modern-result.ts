import { isRecord } from '@quire/mcp/json'
import type { Params, RawJson } from '../rpc.ts'

const COMPLETE = '"resultType":"complete"'
/** Whatever we cannot vouch for is to be asked for again, by the same caller. */
const CACHE_FIELDS = '"ttlMs":0,"cacheScope":"private"'
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])
const OPENING = 0x7b
const CLOSING = 0x7d
const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

export interface InputRequired {
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly requestState: string | undefined
}

/** The fields with which revision 2026-07-28 begins the result of a method. */
export function modernFields(method: string): string {
  return CACHEABLE.has(method) ? `${COMPLETE},${CACHE_FIELDS}` : COMPLETE
}

/** What a server of an older revision answered, as a client of the stateless one expects it. */
export function toModernResult(method: string, result: RawJson): RawJson {
  const start = nextByte(result, 0)
  if (result[start] !== OPENING) return result
  // A key that stands there twice means something else to every reader.
  if (result.includes('"resultType"')) return withoutDoubles(method, result)
  const isEmpty = result[nextByte(result, start + 1)] === CLOSING
  const head = Buffer.from(`{${modernFields(method)}${isEmpty ? '' : ','}`)
  return Buffer.concat([head, result.subarray(start + 1)])
}

/** The questions of a result that is none yet; undefined where it is one. */
export function readInputRequired(result: RawJson): InputRequired | undefined {
  if (!result.includes('"input_required"')) return undefined
  const value = readObject(result)
  if (value?.resultType !== 'input_required') return undefined
  const { inputRequests, requestState } = value
  return {
    inputRequests: isRecord(inputRequests) ? inputRequests : {},
    requestState: typeof requestState === 'string' ? requestState : undefined,
  }
}

/** Undefined for what is no object, or no JSON: a long result was not read before. */
export function readObject(result: RawJson): Params | undefined {
  try {
    const value: unknown = JSON.parse(result.toString())
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function toRawJson(value: Params): RawJson {
  return Buffer.from(JSON.stringify(value))
}

function withoutDoubles(method: string, result: RawJson): RawJson {
  const value = readObject(result)
  const fields: unknown = JSON.parse(`{${modernFields(method)}}`)
  return value ? toRawJson(Object.assign({}, value, fields)) : result
}

/** Of the first byte that is no white space. */
function nextByte(bytes: Buffer, from: number): number {
  let index = from
  while (WHITE_SPACE.has(bytes[index])) index += 1
  return index
}
