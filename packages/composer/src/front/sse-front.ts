import { type Answer, toResponse } from '@quire/kit/app/answer'
import type { Principal } from '@quire/kit/auth/principal'
import type { Gateway } from '../gateway/gateway.ts'
import { type FrontContext, type FrontOptions, type HttpFront, toSettings } from './front-options.ts'
import { createEventStream, streamAnswer, toFrame } from './http/event-stream.ts'
import { ACCEPTED } from './http/exchange.ts'
import { readBody } from './http/read-body.ts'
import { refuse } from './http/refusal.ts'
import { refuseSession, refuseUnacceptable, refuseUnknownSession } from './legacy/legacy-refusals.ts'
import { createSession, type Session } from './legacy/session.ts'
import { createSessions } from './legacy/sessions.ts'
import { toNotification } from './protocol/changes.ts'
import { CODES } from './protocol/codes.ts'
import { isNotification, isRequest, isResponse, type RpcRequest } from './protocol/message.ts'

export interface SseFrontOptions extends FrontOptions {
  /** Where clients post to, relative to the address of the stream. */
  readonly messages?: string
}

interface SseSession extends Session {
  readonly body: ReadableStream<Uint8Array>
  send(message: Buffer): boolean
  /** The first event: where to post to. */
  greet(endpoint: string): void
}

const ALLOW = Object.freeze({ allow: 'GET, POST' })
const CLOSING = { code: CODES.server, message: 'The server is shutting down. Try again in a moment.' }
const NO_MESSAGE = { code: CODES.invalidRequest, message: 'The body is not one JSON-RPC message.' }
const STREAM_TYPES = ['text/event-stream']

/** The transport of 2024-11-05: one stream for everything that a client is sent, and another address to post to. */
export function createSseFront(gateway: Gateway, options: SseFrontOptions): HttpFront {
  const { messages = 'messages' } = options
  const settings = toSettings(options)
  const sessions = createSessions<SseSession>({ ...settings, idleMs: settings.sessionIdleMs })
  const stopListening = gateway.onChange((change) => {
    const notification = toNotification(change)
    for (const session of sessions.all()) session.changed(change, notification)
  })
  let isClosed = false

  async function serve(request: Request, context: FrontContext): Promise<Answer> {
    if (isClosed) return refuse(503, CLOSING)
    if (request.method === 'GET')
      return refuseUnacceptable(request.headers, STREAM_TYPES) ?? open(request, context.principal)
    if (request.method === 'POST') return receive(request, context)
    const message = `${request.method} is not allowed here: open the stream with GET, and POST to the address that it names.`
    return refuse(405, { code: CODES.server, message }, undefined, ALLOW)
  }

  function open(request: Request, principal: Principal | undefined): Answer {
    const session = sessions.open(principal, (use) => {
      // As long as its stream is open.
      use()
      return createSseSession(() => typeof session !== 'string' && session.close())
    })
    if (typeof session === 'string') return refuseSession(session)
    // A client that asked with a slash at the end resolves addresses one level deeper.
    const up = new URL(request.url).pathname.endsWith('/') ? '../' : ''
    session.held.greet(`${up}${messages}?sessionId=${session.id}`)
    return streamAnswer(session.held.body)
  }

  function createSseSession(onGone: () => void): SseSession {
    const stream = createEventStream({ ...settings, onEnd: (isGone) => isGone && onGone() })
    const send = (message: Buffer) => {
      stream.send(toFrame(message))
      return true
    }
    const session = createSession({ ...settings, gateway, tell: send })
    return Object.freeze({
      ...session,
      body: stream.body,
      send,
      greet: (endpoint: string) => stream.send(Buffer.from(`event: endpoint\ndata: ${endpoint}\n\n`)),
      close() {
        session.close()
        stream.end()
      },
    })
  }

  async function receive(request: Request, context: FrontContext): Promise<Answer> {
    const id = new URL(request.url).searchParams.get('sessionId') ?? ''
    const { principal } = context
    const session = sessions.find(id, principal)
    if (!session) return refuseUnknownSession(undefined)
    const read = await readBody(request, context, settings.maxBodyBytes)
    if ('refusal' in read) return read.refusal
    const { body } = read
    // It may have ended while the body came.
    if (session.held.isClosed()) return refuseUnknownSession(body)
    if (isRequest(body)) void answer(session.held, body, principal)
    else if (isNotification(body)) session.held.notified(body, principal)
    else if (isResponse(body)) session.held.settle(body)
    else return refuse(400, NO_MESSAGE)
    return ACCEPTED
  }

  async function answer(
    session: SseSession,
    request: RpcRequest,
    principal: Principal | undefined,
  ): Promise<void> {
    const message = await session.answer(request, principal, session)
    if (message) session.send(message)
  }

  return Object.freeze({
    fetch: async (request: Request, context: FrontContext = {}) => toResponse(await serve(request, context)),
    sessionCount: sessions.count,
    async close() {
      if (isClosed) return
      isClosed = true
      stopListening()
      sessions.close()
    },
  })
}
