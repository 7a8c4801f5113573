import {
  A2A_ERROR_CODE,
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  toJsonRpcError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { z } from '@hono/zod-openapi'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'

const RpcId = z.union([z.string(), z.int(), z.null()])
export type RpcId = z.infer<typeof RpcId>

export const RpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: RpcId.default(null),
  method: z.string(),
  params: z.unknown().optional(),
})

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export const NO_REQUEST: RpcError = Object.freeze({
  code: A2A_ERROR_CODE.INVALID_REQUEST,
  message: 'The body must be one request of JSON-RPC 2.0: {"jsonrpc": "2.0", "id", "method", "params"}.',
})

export const BROKEN_STREAM: RpcError = Object.freeze({
  code: A2A_ERROR_CODE.INTERNAL_ERROR,
  message: 'The stream broke off on our side. The task goes on: ask for it with GetTask.',
})

const LONGEST_SHOWN = 64

export function noMethod(method: string, known: Iterable<string>): RpcError {
  return {
    code: A2A_ERROR_CODE.METHOD_NOT_FOUND,
    message: `There is no method ${JSON.stringify(method.slice(0, LONGEST_SHOWN))} here. There are ${[...known].join(', ')}.`,
  }
}

/** What the caller is told. Throws on what is HTTP's to tell: scopes, and a service that cannot answer anybody at the moment. */
export function toRpcError(error: unknown, logger: Logger): RpcError {
  if (error instanceof A2AError) return toJsonRpcError(error)
  if (error instanceof CallerError) {
    const Twin = TWINS[error.problem.reason]
    if (Twin) return toJsonRpcError(new Twin(error.message))
    throw error
  }
  logger.error({ err: error }, 'a call over A2A failed')
  return { code: A2A_ERROR_CODE.INTERNAL_ERROR, message: 'Something went wrong on our side. Try again.' }
}

const TWINS: Readonly<Partial<Record<string, new (message: string) => A2AError>>> = Object.freeze({
  not_found: TaskNotFoundError,
  conflict: UnsupportedOperationError,
  validation: RequestMalformedError,
})
