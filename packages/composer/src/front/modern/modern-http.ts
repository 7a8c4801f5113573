import type { Answer } from '@quire/kit/app/answer'
import type { Principal } from '@quire/kit/auth/principal'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Reply } from '../../rpc.ts'
import type { FrontRequest, FrontSettings } from '../front-options.ts'
import { createEventStream, streamAnswer, toFrame } from '../http/event-stream.ts'
import { ACCEPTED, type AnswerStream, createExchange } from '../http/exchange.ts'
import { refuse } from '../http/refusal.ts'
import type { StreamSlots } from '../http/stream-slots.ts'
import type { MirrorHeaders } from '../protocol/classify.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeReply } from '../protocol/encode.ts'
import { isRequest, NO_PARAMS, type RpcNotification, type RpcRequest } from '../protocol/message.ts'
import { ownerOf } from '../protocol/owner.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import { type Listening, listen, readFilter } from './listen.ts'
import { findMismatch, readParamHeaders } from './mirror-headers.ts'
import { callModern, clientOf, findUnknown, toUnsupported } from './modern-call.ts'

export interface ModernHttpOptions extends FrontSettings {
  readonly gateway: Gateway
  readonly slots: StreamSlots
}

export interface ModernRequest extends Pick<FrontRequest, 'principal' | 'rawHeaders' | 'onGone'> {
  readonly message: RpcRequest | RpcNotification
  readonly revision: string | undefined
  readonly headers: MirrorHeaders
}

/** The era without sessions (2026-07-28) over HTTP. */
export interface ModernHttp {
  serve(request: ModernRequest): Answer | Promise<Answer>
  close(): void
}

/** Errors that speak of the HTTP request itself; all others are answers like any other. */
const STATUS_OF: ReadonlyMap<number, number> = new Map([
  [CODES.methodNotFound, 404],
  [CODES.headerMismatch, 400],
  [CODES.missingCapability, 400],
])
const TOO_MANY = { code: CODES.internal, message: 'You have too many streams open. Close one of them.' }
const CLOSING = { code: CODES.internal, message: 'The server is shutting down. Try again in a moment.' }

export function createModernHttp(options: ModernHttpOptions): ModernHttp {
  const { gateway, slots, logger, streamAfterMs } = options
  const underWay = new Set<() => void>()
  const listening = new Set<Listening>()

  function serve(asked: ModernRequest): Answer | Promise<Answer> {
    const { message, revision, headers, principal } = asked
    if (revision !== MODERN_REVISION) return refuse(400, toUnsupported(revision), message)
    if (!isRequest(message)) {
      const { method, params = NO_PARAMS } = message
      if (method !== 'notifications/cancelled') gateway.notified(clientOf(message, principal), method, params)
      return ACCEPTED
    }
    const mismatch = findMismatch(message, headers)
    if (mismatch) return refuse(400, mismatch, message)
    const unknown = findUnknown(message)
    if (unknown) return refuse(404, unknown, message)
    return message.method === 'subscriptions/listen' ? subscribe(message, asked) : call(message, asked)
  }

  function call(message: RpcRequest, { rawHeaders, principal, onGone }: ModernRequest): Promise<Answer> {
    const controller = new AbortController()
    const { signal } = controller
    const abort = () => controller.abort()
    const exchange = createExchange({
      requests: 1,
      isBatch: false,
      streamAfterMs,
      openStream: () => openStream(principal, abort),
    })
    const stop = () => {
      abort()
      exchange.refuse(refuse(503, CLOSING, message))
    }
    underWay.add(stop)
    onGone(abort)
    void answer()
    return exchange.response

    async function answer(): Promise<void> {
      const isTool = message.method === 'tools/call'
      const paramHeaders = isTool ? readParamHeaders(rawHeaders()) : undefined
      const client = clientOf(message, principal)
      const reply = await callModern({
        gateway,
        logger,
        client,
        request: message,
        signal,
        paramHeaders,
        send: exchange.send,
      })
      underWay.delete(stop)
      exchange.answer(message.id, encodeReply(message.id, reply), statusOf(reply))
    }
  }

  function subscribe(message: RpcRequest, { principal }: ModernRequest): Answer {
    const { id, params = NO_PARAMS } = message
    const filter = readFilter(params)
    if ('code' in filter) return refuse(200, filter, message)
    const stream = openStream(principal, () => {
      listening.delete(subscription)
      subscription.drop()
    })
    if (!stream) return refuse(200, TOO_MANY, message)
    const client = clientOf(message, principal)
    const subscription = listen({
      gateway,
      logger,
      client,
      id,
      filter,
      send: (notification) => stream.send(notification),
      onEnd() {
        listening.delete(subscription)
        stream.end()
      },
    })
    listening.add(subscription)
    return stream.answer
  }

  /** Undefined when its caller has too many. Ends when the credential is revoked. */
  function openStream(principal: Principal | undefined, onGone: () => void): AnswerStream | undefined {
    const revoked = principal?.revoked
    const giveBack = revoked?.aborted ? undefined : slots.take(ownerOf(principal))
    if (!giveBack) return undefined
    const stream = createEventStream({
      ...options,
      onEnd(isGone) {
        giveBack()
        revoked?.removeEventListener('abort', cut)
        if (isGone) onGone()
      },
    })
    function cut(): void {
      stream.end()
      onGone()
    }
    revoked?.addEventListener('abort', cut, { once: true })
    return {
      answer: streamAnswer(stream.body),
      send: (message) => stream.send(toFrame(message)),
      end: stream.end,
    }
  }

  return Object.freeze({
    serve,
    close() {
      for (const subscription of [...listening]) subscription.end()
      for (const stop of [...underWay]) stop()
    },
  })
}

function statusOf(reply: Reply): number {
  return 'error' in reply ? (STATUS_OF.get(reply.error.code) ?? 200) : 200
}
