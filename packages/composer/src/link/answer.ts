import type { Era } from '@quire/mcp/connection/era'
import { exceedsDepth, isRecord } from '@quire/mcp/json'
import type { Reply, RpcError } from '../rpc.ts'
import { toRawJson } from './raw-json.ts'

const INTERNAL_ERROR = -32603

const BRACE_OPEN = 0x7b

/** The reply in bytes that were found to be the result of an answer. */
export function replyOfBytes(server: string, method: string, era: Era, result: Buffer): Reply {
  if (result[0] !== BRACE_OPEN) return noObject(server, method)
  const raw = toRawJson(result)
  return raw ? { result: raw, era } : unusable(server, 'is no valid JSON')
}

/** The reply in an answer that had to be parsed. */
export function replyOfMessage(
  server: string,
  method: string,
  era: Era,
  message: Readonly<Record<string, unknown>>,
): Reply {
  if (exceedsDepth(message)) return unusable(server, 'is nested too deeply to be accepted')
  // Some servers write `error: null` beside a result.
  if (message.error !== undefined && message.error !== null) {
    return { error: toRpcError(server, message.error) }
  }
  if (!isRecord(message.result)) return noObject(server, method)
  try {
    return { result: Buffer.from(JSON.stringify(message.result)), era }
  } catch {
    // Only a server in this process can answer with something that is no JSON: a circle, a big number.
    return unusable(server, 'is no valid JSON')
  }
}

function toRpcError(server: string, error: unknown): RpcError {
  if (!isRecord(error) || typeof error.code !== 'number' || typeof error.message !== 'string') {
    const message = `MCP server "${server}" answered with an error that has no code and message.`
    return { code: INTERNAL_ERROR, message, data: error }
  }
  const { code, message, data } = error
  return { code, message, ...(data !== undefined && { data }) }
}

/** No method has any other result. */
function noObject(server: string, method: string): Reply {
  const message = `MCP server "${server}" answered ${method} with a result that is no object.`
  return { error: { code: INTERNAL_ERROR, message } }
}

function unusable(server: string, why: string): Reply {
  return { error: { code: INTERNAL_ERROR, message: `The answer of MCP server "${server}" ${why}.` } }
}
