import type { Tool } from '@modelcontextprotocol/client'
import { messageOf } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { Asker, Params, Reply } from '../rpc.ts'
import { type Exchange, startExchange } from './http-exchange.ts'
import type { HttpPeer } from './http-peer.ts'
import { createIncomingCalls } from './incoming-calls.ts'
import type { LinkEnd, LinkEvents } from './link.ts'
import { LinkError } from './link-error.ts'
import { abortedFault, lostFault, unsentFault } from './link-faults.ts'
import { type HeaderDeclaration, headerDeclarations, toMcpHeaders } from './mcp-headers.ts'
import { type ProgressToken, progressTokenOf, type Speech, toOutgoingParams } from './outgoing-params.ts'
import type { MessageId, QuestionAnswer } from './questions.ts'
import { askersOfOneClient, tell } from './told.ts'

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

interface Pending {
  readonly asker: Asker
  readonly token: ProgressToken | undefined
  readonly exchange: Exchange
  readonly reject: (error: LinkError) => void
  readonly onAbort: () => void
}

const FIRST_ID = 1_000_000_000
/** So long may requests learn for themselves that the server has forgotten us: then they were not read, and can be asked again. */
const FORGOTTEN_MS = 1000
const CHANGES = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/
const ACCEPT = 'application/json, text/event-stream'

export function createHttpLane(options: HttpLaneOptions): HttpLane {
  const { server, peer, maxBytes, onLog, onGarbage, onForgotten, onTrouble } = options
  const pending = new Map<number, Pending>()
  const declarations = new WeakMap<Tool, readonly HeaderDeclaration[]>()
  const incoming = createIncomingCalls({
    server,
    byToken: (token) => pending.get(token),
    respond,
    onLog,
    onGarbage,
  })
  let speech: Speech | undefined
  let session: HttpSession | undefined
  let ended: LinkEnd | undefined
  let nextId = FIRST_ID
  let drained = Promise.withResolvers<void>()

  function request(method: string, params: Params, asker: Asker): Promise<Reply> {
    if (ended) return Promise.reject(unsentFault(server, `it ${ended.reason}`, ended))
    if (!speech) return Promise.reject(unsentFault(server, 'its handshake is not done'))
    if (asker.signal.aborted) return Promise.reject(abortedFault(server, asker.signal.reason))
    const { era } = speech
    const id = nextId
    nextId += 1
    const token = progressTokenOf(params)
    const outgoing = toOutgoingParams(params, asker, token === undefined ? undefined : id, speech)
    return new Promise((resolve, reject) => {
      const exchange = startExchange({
        server,
        peer,
        era,
        id,
        maxBytes,
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: outgoing }),
        headers: era === 'modern' ? modernHeaders(method, params) : sessionHeaders(),
        hasSession: session?.id !== undefined,
        onMessage: (message) => takeFrom(message, asker),
        onGarbage,
        onPause: () => asker.pause?.(),
        onDone(outcome) {
          settle(id)
          if (!(outcome instanceof LinkError)) return resolve(outcome)
          if (outcome.fault !== 'forgotten') {
            reject(outcome)
            return onTrouble()
          }
          onForgotten()
          // Whoever asks again shall find a new session, or none.
          setImmediate(reject, outcome)
        },
      })
      const onAbort = () => cancel(id)
      pending.set(id, { asker, token, exchange, reject, onAbort })
      asker.signal.addEventListener('abort', onAbort)
    })
  }

  function settle(id: number): Pending | undefined {
    const entry = pending.get(id)
    if (!entry) return undefined
    pending.delete(id)
    entry.asker.signal.removeEventListener('abort', entry.onAbort)
    if (pending.size === 0) drained.resolve()
    return entry
  }

  function cancel(id: number): void {
    const entry = settle(id)
    if (!entry) return
    const { reason } = entry.asker.signal
    // In the modern era to hang up is to cancel.
    if (speech?.era === 'legacy') {
      const params = { requestId: id, reason: messageOf(reason) }
      post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    entry.exchange.cancel()
    entry.reject(abortedFault(server, reason))
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
    return incoming.take(message, message.method, () =>
      askersOfOneClient(pending.values().map(({ asker }) => asker)),
    )
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
      'mcp-protocol-version': speech?.protocolVersion ?? '',
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

  function giveUp(end: LinkEnd): void {
    for (const id of [...pending.keys()]) {
      const entry = settle(id)
      entry?.exchange.cancel()
      entry?.reject(lostFault(server, end))
    }
  }

  return Object.freeze({
    open(nextSpeech: Speech, nextSession: HttpSession) {
      speech = nextSpeech
      session = nextSession
    },
    request,
    async notify(method: string, params: Params) {
      if (!ended && speech?.era === 'legacy') post({ jsonrpc: '2.0', method, params })
    },
    takeMessage,
    end(end: LinkEnd) {
      if (ended) return
      ended = end
      incoming.end()
      if (end.isForgotten) setTimeout(giveUp, FORGOTTEN_MS, end).unref()
      else giveUp(end)
    },
    async close() {
      if (pending.size > 0) {
        drained = Promise.withResolvers()
        await drained.promise
      }
      peer.close()
    },
  })
}
