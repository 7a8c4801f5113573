import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import type { Gateway, GatewayClient } from '../../gateway/gateway.ts'
import type { Params, Reply, RpcError } from '../../rpc.ts'
import { askGateway } from '../protocol/ask-gateway.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeNotification } from '../protocol/encode.ts'
import { isBelow } from '../protocol/log-levels.ts'
import { isClientInfo, NO_PARAMS, type RpcNotification, type RpcRequest } from '../protocol/message.ts'
import {
  CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LEGACY_METHODS,
  LOG_LEVEL_KEY,
  MODERN_REVISION,
} from '../protocol/revisions.ts'

export interface ModernCall {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly client: GatewayClient
  readonly request: RpcRequest
  readonly signal: AbortSignal
  /** What comes before the answer. */
  readonly send: (message: Buffer) => void
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined
}

/** One request of the era without sessions. It cannot be asked anything, and hears log messages only if it says from which level on. */
export function callModern(call: ModernCall): Promise<Reply> {
  const { gateway, logger, client, request, signal, send, paramHeaders } = call
  const { method, params = NO_PARAMS } = request
  const level = metaOf(params)[LOG_LEVEL_KEY]
  return askGateway(
    gateway,
    {
      client,
      method,
      params,
      signal,
      paramHeaders,
      notify(name, about) {
        if (signal.aborted) return
        if (name === 'notifications/message' && (typeof level !== 'string' || isBelow(about.level, level)))
          return
        send(encodeNotification(name, about))
      },
    },
    logger,
  )
}

/** The client of one message, as its envelope tells. */
export function clientOf(
  { params = NO_PARAMS }: RpcRequest | RpcNotification,
  principal: Principal | undefined,
): GatewayClient {
  const meta = metaOf(params)
  const capabilities = meta[CAPABILITIES_KEY]
  const clientInfo = meta[CLIENT_INFO_KEY]
  return {
    era: 'modern',
    principal,
    capabilities: isRecord(capabilities) ? capabilities : NO_PARAMS,
    clientInfo: isClientInfo(clientInfo) ? clientInfo : undefined,
  }
}

/** Why a method cannot be called at all in this era; undefined where the gateway decides. */
export function findUnknown({ method }: RpcRequest): RpcError | undefined {
  if (!LEGACY_METHODS.has(method)) return undefined
  return {
    code: CODES.methodNotFound,
    message: `There is no method ${method} in revision ${MODERN_REVISION}.`,
  }
}

export function toUnsupported(revision: string | undefined): RpcError {
  const requested = revision ?? 'unknown'
  return {
    code: CODES.unsupportedVersion,
    message: `Unsupported protocol version: ${requested}. Use ${MODERN_REVISION}, or open a session with initialize.`,
    data: { supported: [MODERN_REVISION], requested },
  }
}

function metaOf({ _meta }: Params): Params {
  return isRecord(_meta) ? _meta : NO_PARAMS
}
