import {
  A2A_ERROR_CODE,
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  toJsonRpcError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import { BROKEN_STREAM } from '../stream-run.ts'

export type RpcId = string | number | null

export interface RpcRequest {
  readonly id: RpcId
  readonly method: string
  readonly params: unknown
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type RpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RpcId; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: RpcId; readonly error: RpcError }

/** Undefined for what is no request of JSON-RPC 2.0. Several in a list are none in A2A. */
export function parseRpc(body: unknown): RpcRequest | undefined {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') return undefined
  const { id = null, method, params } = body
  return isRpcId(id) ? { id, method, params } : undefined
}

/** The id of a request that is none, where it can be made out. */
export function idOf(body: unknown): RpcId {
  return isRecord(body) && isRpcId(body.id) ? body.id : null
}

function isRpcId(id: unknown): id is RpcId {
  return id === null || typeof id === 'string' || Number.isInteger(id)
}

export const NO_REQUEST: RpcError = Object.freeze({
  code: A2A_ERROR_CODE.INVALID_REQUEST,
  message: 'The body must be one request of JSON-RPC 2.0: {"jsonrpc": "2.0", "id", "method", "params"}.',
})

export const BROKEN: RpcError = Object.freeze({ code: A2A_ERROR_CODE.INTERNAL_ERROR, message: BROKEN_STREAM })

export function noMethod(method: string, known: readonly string[]): RpcError {
  return {
    code: A2A_ERROR_CODE.METHOD_NOT_FOUND,
    message: `There is no method ${JSON.stringify(method.slice(0, 64))} in A2A 1.0 here. There are ${known.join(', ')}.`,
  }
}

/** In the codes of A2A. What is ours is logged, and told without its internals. */
export function toRpcError(error: unknown, logger: Logger): RpcError {
  if (error instanceof A2AError) return toJsonRpcError(error)
  if (error instanceof CallerError) return toJsonRpcError(fromCaller(error))
  logger.error({ err: error }, 'a call over A2A failed')
  return { code: A2A_ERROR_CODE.INTERNAL_ERROR, message: 'Something went wrong on our side. Try again.' }
}

function fromCaller({ message, problem }: CallerError): Error {
  switch (problem.reason) {
    case 'not_found':
      return new TaskNotFoundError(message)
    case 'conflict':
      return new UnsupportedOperationError(message)
    case 'validation':
    case 'body_shape':
      return new RequestMalformedError(message)
    default:
      return new Error(message)
  }
}
