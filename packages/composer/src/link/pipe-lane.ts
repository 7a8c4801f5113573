import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { messageOf, plainReason } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { Asker, Params, Reply } from '../rpc.ts'
import { replyOfBytes, replyOfMessage } from './answer.ts'
import { createIncomingCalls } from './incoming-calls.ts'
import { scanAnswer } from './json-scan.ts'
import type { LinkEnd, LinkEvents } from './link.ts'
import type { LinkError } from './link-error.ts'
import { abortedFault, lostFault, unansweredFault, unsentFault } from './link-faults.ts'
import { type ProgressToken, progressTokenOf, type Speech, toOutgoingParams } from './outgoing-params.ts'
import type { MessageId, QuestionAnswer } from './questions.ts'
import { askersOfOneClient } from './told.ts'

/** Throws or rejects when the message cannot go out. */
export type Send = (message: JSONRPCMessage) => undefined | Promise<void>

export interface PipeLaneOptions extends Pick<LinkEvents, 'onLog' | 'onGarbage'> {
  readonly server: string
}

/** Requests of many askers over the one pipe that leads to a server, beside the SDK's own messages. */
export interface PipeLane {
  /** The way out, before the handshake; once more when that begins anew. */
  attach(send: Send): void
  /** From now on requests may travel. */
  open(speech: Speech): void
  request(method: string, params: Params, asker: Asker): Promise<Reply>
  /** A message as bytes; true: it was for us, or for nobody. */
  takeLine(line: Buffer): boolean
  /** The same of a message that came parsed. */
  takeMessage(message: unknown): boolean
  /** Servers of the modern era are told nothing of this kind. */
  notify(method: string, params: Params): Promise<void>
  /** The SDK has sent this: the answer is for it. */
  sent(message: unknown): void
  end(end: LinkEnd): void
}

interface Pending {
  readonly asker: Asker
  readonly token: ProgressToken | undefined
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: LinkError) => void
  readonly onAbort: () => void
}

/** The SDK counts from 0. */
const FIRST_ID = 1_000_000_000
const MAX_SDK_REQUESTS = 1000

export function createPipeLane({ server, onLog, onGarbage }: PipeLaneOptions): PipeLane {
  const pending = new Map<number, Pending>()
  const sdkRequests = new Set<string>()
  const incoming = createIncomingCalls({
    server,
    byToken: (token) => pending.get(token),
    respond,
    onLog,
    onGarbage,
  })
  let send: Send | undefined
  let speech: Speech | undefined
  let ended: LinkEnd | undefined
  let nextId = FIRST_ID

  function request(method: string, params: Params, asker: Asker): Promise<Reply> {
    if (ended) return Promise.reject(unsentFault(server, `it ${ended.reason}`, ended))
    if (!speech) return Promise.reject(unsentFault(server, 'its handshake is not done'))
    if (asker.signal.aborted) return Promise.reject(abortedFault(server, asker.signal.reason))
    const id = nextId
    nextId += 1
    const token = progressTokenOf(params)
    const outgoing = toOutgoingParams(params, asker, token === undefined ? undefined : id, speech)
    return new Promise((resolve, reject) => {
      const onAbort = () => cancel(id)
      pending.set(id, { asker, token, resolve, reject, onAbort })
      asker.signal.addEventListener('abort', onAbort)
      deliver({ jsonrpc: '2.0', id, method, params: outgoing }, (error, isUnsent) => {
        const reason = plainReason(error)
        settle(id)?.reject(isUnsent ? unsentFault(server, reason) : unansweredFault(server, reason))
      })
    })
  }

  /** What fails at once has not left us; what fails later may have arrived. */
  function deliver(message: JSONRPCMessage, onFailed: (error: unknown, isUnsent: boolean) => void): void {
    try {
      send?.(message)?.catch((error: unknown) => onFailed(error, false))
    } catch (error) {
      onFailed(error, true)
    }
  }

  function settle(id: number): Pending | undefined {
    const entry = pending.get(id)
    if (!entry) return undefined
    pending.delete(id)
    entry.asker.signal.removeEventListener('abort', entry.onAbort)
    return entry
  }

  function cancel(id: number): void {
    const entry = settle(id)
    if (!entry) return
    const { reason } = entry.asker.signal
    const params = { requestId: id, reason: messageOf(reason) }
    // Whoever cannot be told any more is past working on it.
    deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, () => undefined)
    entry.reject(abortedFault(server, reason))
  }

  function takeLine(line: Buffer): boolean {
    const span = scanAnswer(line)
    if (span && span.id >= FIRST_ID && speech) {
      const entry = settle(span.id)
      if (entry) entry.resolve(replyOfBytes(server, speech.era, line.subarray(span.start, span.end)))
      else onGarbage()
      return true
    }
    if (span) return isForSdk(span.id)
    const text = line.toString('utf8')
    // Empty lines are no offence.
    return text.trim() === '' || takeMessage(parse(text))
  }

  function takeMessage(message: unknown): boolean {
    if (!isRecord(message) || message.jsonrpc !== '2.0') return garbage()
    if (typeof message.method === 'string') return incoming.take(message, message.method, present)
    if ('method' in message || !('result' in message || 'error' in message)) return garbage()
    const id = Number(message.id ?? Number.NaN)
    if (!(id >= FIRST_ID)) return isForSdk(message.id)
    const entry = settle(id)
    if (!entry || !speech) return garbage()
    entry.resolve(replyOfMessage(server, speech.era, message))
    return true
  }

  function isForSdk(id: unknown): boolean {
    return sdkRequests.delete(String(id)) ? false : garbage()
  }

  function garbage(): true {
    onGarbage()
    return true
  }

  function respond(id: MessageId, answer: QuestionAnswer): void {
    // A server that has ended while its question was answered needs no answer.
    deliver({ jsonrpc: '2.0', id, ...answer }, () => undefined)
  }

  function present(): readonly Asker[] | undefined {
    return askersOfOneClient(pending.values().map(({ asker }) => asker))
  }

  return Object.freeze({
    attach(next: Send) {
      send = next
      sdkRequests.clear()
    },
    open(next: Speech) {
      speech = next
    },
    request,
    takeLine,
    takeMessage,
    async notify(method: string, params: Params) {
      if (ended || speech?.era !== 'legacy') return
      try {
        await send?.({ jsonrpc: '2.0', method, params })
      } catch (error) {
        throw unsentFault(server, plainReason(error))
      }
    },
    sent(message: unknown) {
      if (!isRecord(message) || message.id === undefined || !('method' in message)) return
      if (Number(message.id) >= FIRST_ID) return
      // One that was never answered must not be remembered for ever.
      if (sdkRequests.size >= MAX_SDK_REQUESTS) sdkRequests.clear()
      sdkRequests.add(String(message.id))
    },
    end(end: LinkEnd) {
      if (ended) return
      ended = end
      for (const id of [...pending.keys()]) settle(id)?.reject(lostFault(server, end))
      incoming.end()
    },
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: for the caller to count.
    return undefined
  }
}
