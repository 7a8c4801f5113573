import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import { createUnderWay } from '../../calls/under-way.ts'
import type { Gateway, GatewayChange, GatewayClient } from '../../gateway/gateway.ts'
import type { Params, Reply } from '../../rpc.ts'
import { askGateway } from '../protocol/ask-gateway.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeNotification, encodeReply } from '../protocol/encode.ts'
import { isBelow, isLogLevel } from '../protocol/log-levels.ts'
import {
  isRpcId,
  NO_PARAMS,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../protocol/message.ts'
import { ownerOf } from '../protocol/owner.ts'
import { MODERN_METHODS } from '../protocol/revisions.ts'
import { createAsks } from './asks.ts'
import { initialize } from './initialize.ts'
import { createSessionSubscriptions } from './session-subscriptions.ts'

export interface SessionOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  /** What belongs to no request. */
  readonly tell: (message: Buffer) => void
}

/** How what belongs to one request reaches the client before its answer does. */
export interface RelatedLine {
  /** False when it cannot. */
  readonly send: (message: Buffer) => boolean
  /** Lets a client go that can come back for the rest. */
  readonly pause?: () => void
}

/** One client of an era that has sessions, whichever way its messages travel. Each message is served as its own sender's. */
export interface Session {
  /** What was agreed on; undefined before `initialize`. */
  version(): string | undefined
  /** The answer as one message; undefined when the request was cancelled, and at the session's end. */
  answer(request: RpcRequest, sender: Sender, line: RelatedLine): Promise<Buffer | undefined>
  notified(notification: RpcNotification, sender: Sender): void
  settle(response: RpcResponse): void
  cancel(id: RpcId): void
  /** The message is what its client is to be told, if it is to be told. */
  changed(change: GatewayChange, message: Buffer): void
  isClosed(): boolean
  close(): void
}

/** Absent on stdio, and where nobody is asked for a name. */
type Sender = Principal | undefined

interface Call {
  readonly id: RpcId
  /** Among those under way. */
  place: number
  readonly controller: AbortController
  readonly end: (answer: Buffer | undefined) => void
}

const MAX_IN_FLIGHT = 1024
const EMPTY: Reply = Object.freeze({ result: Buffer.from('{}') })
const UNNAMED = Object.freeze({ era: 'legacy', capabilities: NO_PARAMS, clientInfo: undefined })

export function createSession({ gateway, logger, tell }: SessionOptions): Session {
  const calls = createUnderWay<Call>()
  const asks = createAsks()
  const subscriptions = createSessionSubscriptions(gateway, logger)
  let client: GatewayClient = Object.freeze({ ...UNNAMED, principal: undefined })
  let version: string | undefined
  let level: string | undefined
  let isClosed = false

  async function answer(request: RpcRequest, sender: Sender, line: RelatedLine): Promise<Buffer | undefined> {
    if (isClosed) return undefined
    const own = answerOurselves(request, sender)
    if (own) return encodeReply(request.id, await own)
    if (find(request.id))
      return encodeReply(request.id, refusal('A request with this id is under way. Use another id.'))
    if (calls.size >= MAX_IN_FLIGHT)
      return encodeReply(
        request.id,
        refusal(`${MAX_IN_FLIGHT} requests are under way. Wait for one of them.`),
      )
    return new Promise((resolve) => void relay(request, clientFor(sender), line, resolve))
  }

  function find(id: RpcId): Call | undefined {
    return calls.find((call) => call.id === id)
  }

  async function relay(
    request: RpcRequest,
    client: GatewayClient,
    line: RelatedLine,
    end: Call['end'],
  ): Promise<void> {
    const { id, method, params = NO_PARAMS } = request
    const controller = new AbortController()
    const { signal } = controller
    const { send, pause } = line
    const call = { id, place: 0, controller, end }
    calls.add(call)
    const reply = await askGateway(
      gateway,
      {
        client,
        method,
        params,
        signal,
        logLevel: level,
        notify(name, about) {
          if (signal.aborted || (name === 'notifications/message' && level && isBelow(about.level, level)))
            return
          send(encodeNotification(name, about))
        },
        pause,
        ask: (name, about, until) =>
          asks.ask({
            method: name,
            params: about,
            capabilities: client.capabilities,
            signals: [signal, until],
            send,
          }),
      },
      logger,
    )
    // A request that was cancelled has left its id to others.
    if (find(id) === call) calls.remove(call)
    end(encodeReply(id, reply))
  }

  /** Undefined for what is the gateway's to answer. */
  function answerOurselves(
    { method, params = NO_PARAMS }: RpcRequest,
    sender: Sender,
  ): Reply | Promise<Reply> | undefined {
    switch (method) {
      case 'initialize':
        return begin(params, sender)
      case 'ping':
        return EMPTY
      case 'logging/setLevel':
        return setLevel(params)
      case 'resources/subscribe':
        return subscriptions.add(clientFor(sender), params)
      case 'resources/unsubscribe':
        return subscriptions.remove(params)
      default:
        if (!MODERN_METHODS.has(method)) return undefined
        return failure(CODES.methodNotFound, `There is no method ${method} in a session.`)
    }
  }

  function begin(params: Params, principal: Sender): Reply {
    if (version !== undefined) return refusal('The session is initialized already.')
    const begun = initialize(gateway.face({ principal }), params)
    if ('error' in begun) return begun
    version = begun.version
    client = Object.freeze({ ...begun.client, principal })
    return begun
  }

  /** The same client for equal senders: a gateway knows a session by it, and a signed token is another principal each time. */
  function clientFor(principal: Sender): GatewayClient {
    if (client.principal !== principal && ownerOf(client.principal) !== ownerOf(principal))
      client = Object.freeze({ ...client, principal })
    return client
  }

  function setLevel(params: Params): Reply {
    if (!isRecord(gateway.face().capabilities.logging))
      return failure(CODES.methodNotFound, 'There are no log messages here.')
    if (!isLogLevel(params.level))
      return failure(CODES.invalidParams, 'logging/setLevel needs a level from debug to emergency.')
    level = params.level
    return EMPTY
  }

  function cancel(id: RpcId): void {
    const call = find(id)
    if (!call) return
    calls.remove(call)
    call.controller.abort()
    call.end(undefined)
  }

  return Object.freeze({
    version: () => version,
    answer,
    cancel,
    settle: asks.settle,
    notified({ method, params = NO_PARAMS }: RpcNotification, sender: Sender) {
      if (method === 'notifications/cancelled') {
        if (isRpcId(params.requestId)) cancel(params.requestId)
      } else if (method !== 'notifications/initialized') gateway.notified(clientFor(sender), method, params)
    },
    changed(change: GatewayChange, message: Buffer) {
      if (version === undefined) return
      if (change.type !== 'resource' || subscriptions.has(change.uri)) tell(message)
    },
    isClosed: () => isClosed,
    close() {
      isClosed = true
      for (const { id } of calls.all()) cancel(id)
      subscriptions.close()
    },
  })
}

function failure(code: number, message: string): Reply {
  return { error: { code, message } }
}

function refusal(message: string): Reply {
  return failure(CODES.invalidRequest, message)
}
