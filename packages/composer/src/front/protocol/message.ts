import { isRecord } from '@quire/mcp/json'
import type { ClientInfo, Params, RpcError } from '../../rpc.ts'

export type RpcId = string | number

export interface RpcRequest {
  readonly id: RpcId
  readonly method: string
  readonly params?: Params | undefined
}

export interface RpcNotification {
  readonly method: string
  readonly params?: Params | undefined
}

/** What a client answers to a question of ours. */
export type RpcResponse =
  | { readonly id: RpcId; readonly result: unknown }
  | { readonly id: RpcId; readonly error: RpcError }

export const NO_PARAMS: Params = Object.freeze({})

export function isRequest(value: unknown): value is RpcRequest {
  return isCall(value) && isRpcId(value.id)
}

export function isNotification(value: unknown): value is RpcNotification {
  return isCall(value) && !('id' in value)
}

export function isResponse(value: unknown): value is RpcResponse {
  if (!isRecord(value) || value.jsonrpc !== '2.0' || 'method' in value || !isRpcId(value.id)) return false
  if ('result' in value) return !('error' in value)
  return (
    isRecord(value.error) && Number.isInteger(value.error.code) && typeof value.error.message === 'string'
  )
}

export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

export function isClientInfo(value: unknown): value is ClientInfo {
  return isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string'
}

function isCall(value: unknown): value is Record<string, unknown> {
  return (
    isRecord(value) &&
    value.jsonrpc === '2.0' &&
    typeof value.method === 'string' &&
    (value.params === undefined || isRecord(value.params))
  )
}
