import type { Logger } from '@quire/kit/log'
import type { Gateway, GatewayRequest } from '../../gateway/gateway.ts'
import type { Reply } from '../../rpc.ts'
import { CODES } from './codes.ts'

/** A gateway never rejects; should it, its client still gets an answer. */
export async function askGateway(gateway: Gateway, request: GatewayRequest, logger: Logger): Promise<Reply> {
  try {
    return await gateway.handle(request)
  } catch (error) {
    logger.error({ err: error, method: request.method }, 'a request of an MCP client failed')
    return { error: { code: CODES.internal, message: 'Internal error. The reason is in the log.' } }
  }
}
