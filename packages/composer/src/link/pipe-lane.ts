import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { plainReason } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { Asker, Params, Reply } from '../rpc.ts'
import { replyOfBytes, replyOfMessage } from './answer.ts'
import { createIncomingCalls } from './incoming-calls.ts'
import { scanAnswer } from './json-scan.ts'
import type { LinkEnd, LinkEvents } from './link.ts'
import { unansweredFault, unsentFault } from './link-faults.ts'
import type { Speech } from './outgoing-params.ts'
import { createPendingRequests, FIRST_ID } from './pending-requests.ts'
import type { MessageId, QuestionAnswer } from './questions.ts'

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

const MAX_SDK_REQUESTS = 1000

export function createPipeLane({ server, onLog, onGarbage }: PipeLaneOptions): PipeLane {
  const sdkRequests = new Set<string>()
  const pending = createPendingRequests({
    server,
    send({ id, method, outgoing: params }) {
      deliver({ jsonrpc: '2.0', id, method, params }, (error, isUnsent) => {
        const reason = plainReason(error)
        pending.settle(id)?.reject((isUnsent ? unsentFault : unansweredFault)(server, reason))
      })
    },
    // Whoever cannot be told any more is past working on it.
    sendCancellation: (params) =>
      deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, () => undefined),
  })
  const incoming = createIncomingCalls({ server, byToken: pending.find, respond, onLog, onGarbage })
  let send: Send | undefined

  /** What fails at once has not left us; what fails later may have arrived. */
  function deliver(message: JSONRPCMessage, onFailed: (error: unknown, isUnsent: boolean) => void): void {
    try {
      send?.(message)?.catch((error: unknown) => onFailed(error, false))
    } catch (error) {
      onFailed(error, true)
    }
  }

  function takeLine(line: Buffer): boolean {
    const span = scanAnswer(line)
    if (span && span.id >= FIRST_ID) {
      const request = pending.settle(span.id)
      if (!request) return garbage()
      request.resolve(
        replyOfBytes(server, request.method, request.speech.era, line.subarray(span.start, span.end)),
      )
      return true
    }
    if (span) return isForSdk(span.id)
    const text = line.toString('utf8')
    // Empty lines are no offence.
    return text.trim() === '' || takeMessage(parse(text))
  }

  function takeMessage(message: unknown): boolean {
    if (!isRecord(message) || message.jsonrpc !== '2.0') return garbage()
    if (typeof message.method === 'string') return incoming.take(message, message.method, pending.askers)
    if ('method' in message || !('result' in message || 'error' in message)) return garbage()
    const id = Number(message.id ?? Number.NaN)
    if (!(id >= FIRST_ID)) return isForSdk(message.id)
    const request = pending.settle(id)
    if (!request) return garbage()
    request.resolve(replyOfMessage(server, request.method, request.speech.era, message))
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

  return Object.freeze({
    attach(next: Send) {
      send = next
      sdkRequests.clear()
    },
    open: pending.open,
    request: pending.ask,
    takeLine,
    takeMessage,
    async notify(method: string, params: Params) {
      if (pending.hasEnded || pending.speech?.era !== 'legacy') return
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
      if (!pending.end(end)) return
      pending.giveUp(end)
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
