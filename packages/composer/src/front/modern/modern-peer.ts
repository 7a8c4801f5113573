import type { Logger } from '@quire/kit/log'
import type { Gateway } from '../../gateway/gateway.ts'
import type { RpcError } from '../../rpc.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeError, encodeReply } from '../protocol/encode.ts'
import { isRpcId, NO_PARAMS, type RpcId, type RpcNotification, type RpcRequest } from '../protocol/message.ts'
import { type Listening, listen, readFilter } from './listen.ts'
import { callModern, clientOf, findUnknown } from './modern-call.ts'

export interface ModernPeerOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly send: (message: Buffer) => boolean
}

/** A client of the era without sessions whose messages all travel on one pipe. */
export interface ModernPeer {
  receive(request: RpcRequest): void
  notified(notification: RpcNotification): void
  close(): void
}

const MAX_IN_FLIGHT = 1024
const MAX_LISTENING = 256
const ID_TAKEN: RpcError = {
  code: CODES.invalidRequest,
  message: 'A request with this id is under way. Use another id.',
}

export function createModernPeer({ gateway, logger, send }: ModernPeerOptions): ModernPeer {
  const calls = new Map<RpcId, AbortController>()
  const listening = new Map<RpcId, Listening>()

  function receive(request: RpcRequest): void {
    const { id, method } = request
    const unknown = findUnknown(request)
    if (unknown) refuse(id, unknown)
    else if (calls.has(id) || listening.has(id)) refuse(id, ID_TAKEN)
    else if (method === 'subscriptions/listen') subscribe(request)
    else if (calls.size >= MAX_IN_FLIGHT) refuse(id, tooMany(`${MAX_IN_FLIGHT} requests are under way.`))
    else void call(request)
  }

  async function call(request: RpcRequest): Promise<void> {
    const { id } = request
    const controller = new AbortController()
    const { signal } = controller
    calls.set(id, controller)
    const client = clientOf(request, undefined)
    const reply = await callModern({ gateway, logger, client, request, signal, send })
    if (signal.aborted) return
    calls.delete(id)
    send(encodeReply(id, reply))
  }

  function subscribe(request: RpcRequest): void {
    const { id, params = NO_PARAMS } = request
    const filter = readFilter(params)
    if ('code' in filter) refuse(id, filter)
    else if (listening.size >= MAX_LISTENING) refuse(id, tooMany(`You have ${MAX_LISTENING} subscriptions.`))
    else {
      const client = clientOf(request, undefined)
      const onEnd = () => void listening.delete(id)
      listening.set(id, listen({ gateway, logger, client, id, filter, send, onEnd }))
    }
  }

  function cancel(id: RpcId): void {
    calls.get(id)?.abort()
    calls.delete(id)
    listening.get(id)?.drop()
    listening.delete(id)
  }

  function refuse(id: RpcId, error: RpcError): void {
    send(encodeError(id, error))
  }

  return Object.freeze({
    receive,
    notified(notification: RpcNotification) {
      const { method, params = NO_PARAMS } = notification
      if (method !== 'notifications/cancelled')
        gateway.notified(clientOf(notification, undefined), method, params)
      else if (isRpcId(params.requestId)) cancel(params.requestId)
    },
    close() {
      for (const subscription of [...listening.values()]) subscription.end()
      for (const id of [...calls.keys()]) cancel(id)
    },
  })
}

function tooMany(what: string): RpcError {
  return { code: CODES.internal, message: `${what} End one of them first.` }
}
