import type { Tool } from '@modelcontextprotocol/client'
import { isRecord } from '@quire/mcp/json'
import type { Asker, Params, Reply } from '../rpc.ts'
import { startExchange } from './http-exchange.ts'
import type { HttpPeer } from './http-peer.ts'
import { createIncomingCalls } from './incoming-calls.ts'
import type { LinkEnd, LinkEvents } from './link.ts'
import { LinkError } from './link-error.ts'
import { type HeaderDeclaration, headerDeclarations, toMcpHeaders } from './mcp-headers.ts'
import type { Speech } from './outgoing-params.ts'
import { createPendingRequests, type PendingRequest } from './pending-requests.ts'
import type { MessageId, QuestionAnswer } from './questions.ts'
import { tell } from './told.ts'

export interface HttpLaneOptions extends Pick<LinkEvents, 'onLog' | 'onGarbage'> {
  readonly server: string
  readonly peer: HttpPeer
  readonly maxBytes: number
  /** What is the SDK's to know: that a list or a resource has changed. */
  readonly onChange: (message: Readonly<Record<string, unknown>>) => void
  /** The server does not know our session any more. */
  readonly onForgotten: () => void
  /** A request could not be delivered or has no answer: the server may be gone. */
  readonly onTrouble: () => void
}

/** Requests of many askers, each in its own HTTP request, beside the SDK's own. */
export interface HttpLane {
  open(speech: Speech, session: HttpSession): void
  request(method: string, params: Params, asker: Asker): Promise<Reply>
  notify(method: string, params: Params): Promise<void>
  /** A message on a stream of the SDK's; true: it was for us. */
  takeMessage(message: unknown): boolean
  end(end: LinkEnd): void
  /** Done when nobody waits any more. */
  close(): Promise<void>
}

export interface HttpSession {
  /** Undefined where the server keeps none. */
  readonly id: string | undefined
  readonly headerTool: (name: string) => Tool | undefined
}

/** So long may requests learn for themselves that the server has forgotten us: then they were not read, and can be asked again. */
const FORGOTTEN_MS = 1000
const CHANGES = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/
const ACCEPT = 'application/json, text/event-stream'

export function createHttpLane(options: HttpLaneOptions): HttpLane {
  const { server, peer, maxBytes, onLog, onGarbage, onForgotten, onTrouble } = options
  const declarations = new WeakMap<Tool, readonly HeaderDeclaration[]>()
  const pending = createPendingRequests({ server, send, sendCancellation })
  const incoming = createIncomingCalls({ server, byToken: pending.find, respond, onLog, onGarbage })
  let session: HttpSession | undefined

  function send(request: PendingRequest): void {
    const { id, method, params, asker } = request
    const { era } = request.speech
    const exchange = startExchange({
      server,
      peer,
      era,
      id,
      method,
      maxBytes,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: request.outgoing }),
      headers: era === 'modern' ? modernHeaders(method, params) : sessionHeaders(),
      hasSession: session?.id !== undefined,
      onMessage: (message) => takeFrom(message, asker),
      onGarbage,
      onPause: () => asker.pause?.(),
      onDone(outcome) {
        pending.settle(id)
        if (!(outcome instanceof LinkError)) return request.resolve(outcome)
        if (outcome.fault !== 'forgotten') {
          request.reject(outcome)
          return onTrouble()
        }
        onForgotten()
        // Whoever asks again shall find a new session, or none.
        setImmediate(request.reject, outcome)
      },
    })
    request.hangUp = exchange.cancel
  }

  /** In the modern era to hang up is to cancel. */
  function sendCancellation(params: Params): void {
    if (pending.speech?.era === 'legacy') post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  /** On the stream of one request there is no doubt whom a message concerns. */
  function takeFrom(message: Readonly<Record<string, unknown>>, asker: Asker): void {
    const method = String(message.method)
    if (incoming.take(message, method, () => [asker])) return
    if (CHANGES.test(method)) options.onChange(message)
    else tell([asker], method, isRecord(message.params) ? message.params : {})
  }

  function takeMessage(message: unknown): boolean {
    if (!isRecord(message) || typeof message.method !== 'string') return false
    return incoming.take(message, message.method, pending.askers)
  }

  function respond(id: MessageId, answer: QuestionAnswer): void {
    post({ jsonrpc: '2.0', id, ...answer })
  }

  /** What needs no answer. That it did not arrive shows in the request that it belongs to. */
  function post(message: Readonly<Record<string, unknown>>): void {
    const sent = { method: 'POST', headers: sessionHeaders(), body: JSON.stringify(message) } as const
    peer.send(
      sent,
      (response) => response.resume(),
      () => onTrouble(),
    )
  }

  function sessionHeaders(): Record<string, string> {
    return {
      accept: ACCEPT,
      'mcp-protocol-version': pending.speech?.protocolVersion ?? '',
      ...(session?.id !== undefined && { 'mcp-session-id': session.id }),
    }
  }

  function modernHeaders(method: string, params: Params): Record<string, string> {
    const tool = method === 'tools/call' ? session?.headerTool(String(params.name)) : undefined
    return { ...sessionHeaders(), ...toMcpHeaders(method, params, tool ? declarationsOf(tool) : []) }
  }

  function declarationsOf(tool: Tool): readonly HeaderDeclaration[] {
    const known = declarations.get(tool) ?? headerDeclarations(tool.inputSchema)
    declarations.set(tool, known)
    return known
  }

  return Object.freeze({
    open(speech: Speech, nextSession: HttpSession) {
      pending.open(speech)
      session = nextSession
    },
    request: pending.ask,
    async notify(method: string, params: Params) {
      if (!pending.hasEnded && pending.speech?.era === 'legacy') post({ jsonrpc: '2.0', method, params })
    },
    takeMessage,
    end(end: LinkEnd) {
      if (!pending.end(end)) return
      incoming.end()
      if (end.isForgotten) setTimeout(pending.giveUp, FORGOTTEN_MS, end).unref()
      else pending.giveUp(end)
    },
    async close() {
      await pending.drained()
      peer.close()
    },
  })
}
