import {
  type FetchLike,
  type JSONRPCMessage,
  type RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { acceptMessage } from './message.ts'
import type { RemoteServer } from './target.ts'

/** Marks an answer that we made up: its stream ended before the server had answered. */
export const STREAM_ENDED = Object.freeze({ reason: 'the stream ended before the answer' })

const STREAM_ENDED_CODE = -32603
const DELETE_MS = 2000

export interface HttpTransport extends Transport {
  /** Tells a server with sessions that ours is over. */
  endSession(): Promise<void>
}

/**
 * Streamable HTTP, and one thing more: the SDK lets a request whose answer stream was cut wait for its timeout; here it fails at once.
 */
export function createHttpTransport(server: RemoteServer, fetch: FetchLike): HttpTransport {
  const inner = new StreamableHTTPClientTransport(new URL(server.url), toSdkOptions(server, fetch))
  const unanswered = new Set<RequestId>()
  const outer = guardMessages(inner, (message) => {
    if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id)
  })
  const { send } = outer

  return Object.assign(outer, {
    hasPerRequestStream: true,
    async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
      if (!('method' in message && 'id' in message) || options?.onRequestStreamEnd)
        return send(message, options)
      const { id } = message
      unanswered.add(id)
      options?.requestSignal?.addEventListener('abort', () => unanswered.delete(id), { once: true })
      const onRequestStreamEnd = () => {
        if (unanswered.delete(id)) outer.onmessage?.(lostAnswer(id))
      }
      try {
        await send(message, { ...options, onRequestStreamEnd })
      } catch (error) {
        unanswered.delete(id)
        throw error
      }
    },
    async endSession(): Promise<void> {
      if (inner.sessionId === undefined) return
      const late = new Promise((resolve) => setTimeout(resolve, DELETE_MS).unref())
      await Promise.race([inner.terminateSession(), late])
    },
  })
}

/** HTTP with a separate stream of server-sent events, as servers of 2024 offer it. */
export function createSseTransport(server: RemoteServer, fetch: FetchLike): Transport {
  return guardMessages(new SSEClientTransport(new URL(server.url), toSdkOptions(server, fetch)))
}

function toSdkOptions({ headers }: RemoteServer, fetch: FetchLike) {
  return { fetch, requestInit: { headers: { ...headers } } }
}

/** The same transport, which hands on only what can be handled safely. */
function guardMessages(inner: Transport, onMessage?: (message: JSONRPCMessage) => void): Transport {
  const outer: Transport = {
    get sessionId() {
      return inner.sessionId
    },
    start() {
      inner.onmessage = (message) => {
        onMessage?.(message)
        const accepted = acceptMessage(message)
        if (accepted) outer.onmessage?.(accepted)
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onclose = () => outer.onclose?.()
      return inner.start()
    },
    send: (message, options) => inner.send(message, options),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    close: () => inner.close(),
  }
  return outer
}

function lostAnswer(id: RequestId): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: STREAM_ENDED_CODE, message: STREAM_ENDED.reason, data: STREAM_ENDED },
  }
}
