import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import type { Gateway, GatewayClient } from '../../gateway/gateway.ts'
import { toRpcError } from '../../gateway/rpc-failure.ts'
import type { Params, Reply } from '../../rpc.ts'
import { CODES } from '../protocol/codes.ts'
import { grantSubscription } from '../protocol/grant.ts'

type Release = () => void

/** The resources that the client of a session wants to hear of. */
export interface SessionSubscriptions {
  add(client: GatewayClient, params: Params): Promise<Reply>
  remove(params: Params): Reply
  has(uri: string): boolean
  close(): void
}

const MAX_SUBSCRIPTIONS = 1000
const EMPTY: Reply = Object.freeze({ result: Buffer.from('{}') })

export function createSessionSubscriptions(gateway: Gateway, logger: Logger): SessionSubscriptions {
  const held = new Map<string, Promise<Release>>()

  async function add(client: GatewayClient, { uri }: Params): Promise<Reply> {
    const { resources } = gateway.face().capabilities
    if (!isRecord(resources) || resources.subscribe !== true)
      return failure(CODES.methodNotFound, 'No resource can be subscribed to here.')
    if (typeof uri !== 'string') return failure(CODES.invalidParams, 'resources/subscribe needs a uri.')
    if (!held.has(uri) && held.size >= MAX_SUBSCRIPTIONS) {
      const message = `You have ${MAX_SUBSCRIPTIONS} subscriptions already. End one of them first.`
      return failure(CODES.invalidRequest, message)
    }
    const granted = held.get(uri) ?? grantSubscription(gateway, client, uri)
    held.set(uri, granted)
    try {
      await granted
      return EMPTY
    } catch (error) {
      if (held.get(uri) === granted) held.delete(uri)
      return { error: toRpcError(error, logger) }
    }
  }

  function remove({ uri }: Params): Reply {
    if (typeof uri !== 'string') return failure(CODES.invalidParams, 'resources/unsubscribe needs a uri.')
    const granted = held.get(uri)
    held.delete(uri)
    if (granted) void release(granted)
    return EMPTY
  }

  async function release(granted: Promise<Release>): Promise<void> {
    try {
      const letGo = await granted
      letGo()
    } catch (error) {
      logger.debug({ err: error }, 'a subscription that was given up had not been granted')
    }
  }

  return Object.freeze({
    add,
    remove,
    has: (uri: string) => held.has(uri),
    close() {
      for (const granted of held.values()) void release(granted)
      held.clear()
    },
  })
}

function failure(code: number, message: string): Reply {
  return { error: { code, message } }
}
