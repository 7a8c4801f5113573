import type { Answer } from '@quire/kit/app/answer'
import type { RpcError } from '../../rpc.ts'
import { encodeError } from '../protocol/encode.ts'
import { isRequest, type RpcId } from '../protocol/message.ts'
import { jsonAnswer } from './exchange.ts'

/** Every refusal is a JSON-RPC error, whatever its HTTP status. */
export function refuse(
  status: number,
  error: RpcError,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return jsonAnswer(encodeError(echoedId(body), error), status, headers)
}

/** The id of the one request in the body; null where there is none, or no single one. */
function echoedId(body: unknown): RpcId | null {
  return isRequest(body) ? body.id : null
}
