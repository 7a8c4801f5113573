import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { ComposerError } from '../composer-error.ts'
import { LinkError } from '../link/link-error.ts'
import { type RpcError, RpcFault } from '../rpc.ts'
import { INTERNAL_ERROR, INVALID_PARAMS } from './rpc-codes.ts'

/** What a client is told of whatever was thrown while its request was served. */
export function toRpcError(error: unknown, logger: Logger, server?: string): RpcError {
  if (error instanceof RpcFault) {
    const { code, message, data } = error
    return data === undefined ? { code, message } : { code, message, data }
  }
  if (error instanceof CallerError) return toCallerFailure(error, server)
  if (error instanceof LinkError) return { code: INTERNAL_ERROR, message: error.message }
  logger.error({ err: error, server }, 'a request of an MCP client failed')
  return {
    code: INTERNAL_ERROR,
    message: 'The composer failed to answer this request. The reason is in its log.',
  }
}

/** The same, for whoever has to throw it. */
export function toRpcFault(error: unknown, logger: Logger, server?: string): RpcFault {
  const { code, message, data } = toRpcError(error, logger, server)
  return new RpcFault(code, message, data)
}

function toCallerFailure(error: CallerError, server: string | undefined): RpcError {
  const { code, reason, detail } = error.problem
  const isUnknown = error instanceof ComposerError && error.code === 'TOOL_NOT_FOUND'
  const retryAfter = Number(error.headers['Retry-After'] ?? error.headers['retry-after'])
  return {
    code: isUnknown ? INVALID_PARAMS : INTERNAL_ERROR,
    message: detail,
    data: {
      error_code: code ?? reason.toUpperCase(),
      ...(server !== undefined && { server }),
      ...(retryAfter > 0 && { retry_after: retryAfter }),
    },
  }
}
