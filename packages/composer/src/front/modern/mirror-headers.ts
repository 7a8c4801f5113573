import { isRecord } from '@quire/mcp/json'
import type { RpcError } from '../../rpc.ts'
import type { ReadHeaders } from '../front-options.ts'
import type { MirrorHeaders } from '../protocol/classify.ts'
import { CODES } from '../protocol/codes.ts'
import type { RpcRequest } from '../protocol/message.ts'

/** Which member of the params the header `Mcp-Name` mirrors. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])
const PARAM_PREFIX = 'mcp-param-'
const ENCODED = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export function readMirrorHeaders(headers: ReadHeaders): MirrorHeaders {
  return {
    version: headers.get('mcp-protocol-version') ?? undefined,
    method: headers.get('mcp-method') ?? undefined,
    name: headers.get('mcp-name') ?? undefined,
  }
}

/** Those that mirror arguments of a tool: whoever knows its schema compares them. */
export function readParamHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!name.startsWith(PARAM_PREFIX)) continue
    const value = rawHeaders[index + 1] ?? ''
    found[name] = found[name] === undefined ? value : `${found[name]}, ${value}`
  }
  return found
}

/** What a request of the era without sessions must say in its headers too, beyond what the classifier compares; undefined where it does. */
export function findMismatch({ method, params }: RpcRequest, headers: MirrorHeaders): RpcError | undefined {
  if (headers.version === undefined)
    return mismatch('(missing)', 'the header MCP-Protocol-Version is required')
  if (headers.method === undefined)
    return mismatch('(missing)', `the body names the method ${method}, and the header Mcp-Method is absent`)
  const member = NAMED_BY.get(method)
  const named = member !== undefined && isRecord(params) ? params[member] : undefined
  if (member === undefined) return undefined
  if (headers.name === undefined) {
    if (typeof named !== 'string') return undefined
    return mismatch('(missing)', `the body has params.${member}, and the header Mcp-Name is absent`)
  }
  const name = decode(headers.name)
  if (name === undefined) return mismatch(headers.name, 'the header Mcp-Name is not valid base64 of UTF-8')
  if (typeof named !== 'string' || name === named) return undefined
  return mismatch(headers.name, `params.${member} of the body differs from the header Mcp-Name`)
}

function decode(value: string): string | undefined {
  const [, encoded] = ENCODED.exec(value) ?? []
  if (encoded === undefined) return value
  if (!BASE64.test(encoded)) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : undefined
}

function mismatch(header: string, why: string): RpcError {
  return {
    code: CODES.headerMismatch,
    message: `The headers and the body of the request disagree: ${why}.`,
    data: { mismatch: { header, body: why } },
  }
}
