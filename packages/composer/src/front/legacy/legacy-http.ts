import type { Answer } from '@quire/kit/app/answer'
import type { Principal } from '@quire/kit/auth/principal'
import type { Gateway, GatewayChange } from '../../gateway/gateway.ts'
import type { FrontRequest, FrontSettings, ReadHeaders } from '../front-options.ts'
import { ACCEPTED, createExchange, type Exchange, jsonAnswer } from '../http/exchange.ts'
import type { StreamSlots } from '../http/stream-slots.ts'
import { isNotification, isRequest, isResponse, type RpcRequest } from '../protocol/message.ts'
import { BATCH_REVISION, LEGACY_REVISIONS } from '../protocol/revisions.ts'
import { createHttpSession, type HttpSession } from './http-session.ts'
import {
  MAX_BATCH,
  refuseBatch,
  refuseSecondInitialize,
  refuseSession,
  refuseStream,
  refuseUnacceptable,
  refuseUnknownSession,
  refuseVersion,
  refuseWithoutSession,
} from './legacy-refusals.ts'
import { createSessions, type HeldSession } from './sessions.ts'

export interface LegacyHttpOptions extends FrontSettings {
  readonly gateway: Gateway
  readonly slots: StreamSlots
}

/** The era with sessions (up to 2025-11-25) over streamable HTTP. */
export interface LegacyHttp {
  serve(request: FrontRequest): Answer | Promise<Answer>
  changed(change: GatewayChange, message: Buffer): void
  sessionCount(): number
  close(): void
}

type Held = HeldSession<HttpSession>

/** Who sends a POST, and reads its answer. */
interface Sender {
  readonly principal: Principal | undefined
  readonly onGone: FrontRequest['onGone']
  readonly wantsStream: boolean
}

const SESSION_HEADER = 'mcp-session-id'
const ANSWER_TYPES = ['application/json', 'text/event-stream']
const ENDED: Answer = Object.freeze({ status: 200, headers: {}, body: null })
const STREAM_TYPES = ['text/event-stream']

export function createLegacyHttp(options: LegacyHttpOptions): LegacyHttp {
  const { streamAfterMs } = options
  const sessions = createSessions<HttpSession>({ ...options, idleMs: options.sessionIdleMs })

  function serve({ method, headers, principal, body, onGone }: FrontRequest): Answer | Promise<Answer> {
    const id = headers.get(SESSION_HEADER)
    if (id === null) return isInitialize(body) ? open(body, headers, principal) : refuseWithoutSession(body)
    const session = sessions.find(id, principal)
    if (!session) return refuseUnknownSession(body)
    const version = headers.get('mcp-protocol-version')
    if (version !== null && !LEGACY_REVISIONS.includes(version)) return refuseVersion(version, body)
    if (method === 'GET') return listen(session, headers)
    if (method === 'POST')
      return (
        refuseUnacceptable(headers, ANSWER_TYPES, body) ??
        receive(session, body, { principal, onGone, wantsStream: prefersStream(headers) })
      )
    session.close()
    return ENDED
  }

  async function open(
    body: RpcRequest,
    headers: ReadHeaders,
    principal: Principal | undefined,
  ): Promise<Answer> {
    const unacceptable = refuseUnacceptable(headers, ANSWER_TYPES, body)
    if (unacceptable) return unacceptable
    const session = sessions.open(principal, (use) => createHttpSession({ ...options, principal, use }))
    if (typeof session === 'string') return refuseSession(session, body)
    const answer = await session.held.answer(body, principal, { send: () => false })
    if (!answer || session.held.isClosed()) return refuseSession('revoked', body)
    const isOpen = session.held.version() !== undefined
    if (!isOpen) session.close()
    return jsonAnswer(answer, 200, isOpen ? { [SESSION_HEADER]: session.id } : {})
  }

  function listen({ held }: Held, headers: ReadHeaders): Answer {
    const unacceptable = refuseUnacceptable(headers, STREAM_TYPES)
    if (unacceptable) return unacceptable
    const lastEventId = headers.get('last-event-id')
    const opened = lastEventId === null ? held.streams().standalone() : held.streams().resume(lastEventId)
    return typeof opened === 'string' ? refuseStream(opened) : opened
  }

  function receive(session: Held, body: unknown, sender: Sender): Answer | Promise<Answer> {
    if (!Array.isArray(body))
      return isInitialize(body) ? refuseSecondInitialize(body) : take(session, [body], sender)
    const isSpoken = session.held.version() === BATCH_REVISION
    if (!isSpoken || body.length > MAX_BATCH || body.some(isInitialize)) return refuseBatch(isSpoken)
    return take(session, body, sender, true)
  }

  function take(
    session: Held,
    messages: readonly unknown[],
    { principal, onGone, wantsStream }: Sender,
    isBatch = false,
  ): Answer | Promise<Answer> {
    const { held } = session
    for (const message of messages) {
      if (isNotification(message)) held.notified(message, principal)
      else if (isResponse(message)) held.settle(message)
    }
    const requests = messages.filter(isRequest)
    if (requests.length === 0) return ACCEPTED
    const cancel = () => {
      for (const { id } of requests) held.cancel(id)
    }
    const exchange = createExchange({
      requests: requests.length,
      isBatch,
      streamAfterMs: wantsStream ? 0 : streamAfterMs,
      openStream: () => held.streams().open(cancel),
    })
    for (const request of requests) void answer(session, request, principal, exchange)
    // A client that leaves a stream may come back for the rest of it; one that leaves before there is any cannot.
    onGone(() => exchange.isWaiting() && cancel())
    return exchange.response
  }

  async function answer(
    { held, use }: Held,
    request: RpcRequest,
    principal: Principal | undefined,
    exchange: Exchange,
  ): Promise<void> {
    const release = use()
    const message = await held.answer(request, principal, exchange)
    release()
    if (held.isClosed()) exchange.refuse(refuseUnknownSession(request))
    else exchange.answer(request.id, message)
  }

  return Object.freeze({
    serve,
    changed(change: GatewayChange, message: Buffer) {
      for (const session of sessions.all()) session.changed(change, message)
    },
    sessionCount: sessions.count,
    close: sessions.close,
  })
}

/** Both have to be accepted; whoever names the stream first would rather have that. */
function prefersStream(headers: ReadHeaders): boolean {
  return headers.get('accept')?.trimStart().startsWith('text/event-stream') ?? false
}

function isInitialize(message: unknown): message is RpcRequest {
  return isRequest(message) && message.method === 'initialize'
}
