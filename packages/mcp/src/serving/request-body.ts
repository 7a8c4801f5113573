import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server'
import { exceedsDepth } from '../json.ts'
import { jsonRpcError } from './json-rpc-response.ts'

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const SERVER_ERROR = -32000

/** The JSON of a POST, or the answer that refuses it. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
): Promise<{ body: unknown } | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    const message = 'The content type must be application/json.'
    return jsonRpcError({ status: 415, code: SERVER_ERROR, message })
  }
  const read = await readRequestBody(request, maxBytes)
  if (read.tooLarge) {
    const message = `The body is longer than the ${maxBytes} bytes that are accepted here.`
    return jsonRpcError({ status: 413, code: SERVER_ERROR, message })
  }
  return parseJsonBody(read.text)
}

/** The same for a text that was read before. */
export function parseJsonBody(text: string): { body: unknown } | Response {
  try {
    const body: unknown = JSON.parse(text)
    if (!exceedsDepth(body)) return { body }
    return jsonRpcError({ status: 400, code: INVALID_REQUEST, message: 'The body is nested too deeply.' })
  } catch {
    return jsonRpcError({ status: 400, code: PARSE_ERROR, message: 'The body is not valid JSON.' })
  }
}
