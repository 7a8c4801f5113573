import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { messageOf } from '@quire/mcp/connection/errors'

export interface HttpPeer {
  /** Whichever comes first is called, once. A request that never left us whole is `isUnsent`: nobody can have acted on it. */
  send(
    request: HttpRequest,
    onResponse: (response: IncomingMessage) => void,
    onFailed: (error: Error, isUnsent: boolean) => void,
  ): { destroy(): void }
  /** Takes another address of the same origin from now on; false: it is of another one, which must not see our headers. */
  moveTo(location: string): boolean
  /** The text without our credentials, should the server repeat them. */
  conceal(text: string): string
  close(): void
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

const MAX_SOCKETS = 256
/** Shorter than what servers commonly allow, so that a request seldom meets a socket that is just being closed. */
const IDLE_MS = 1500
const MIN_SECRET = 6
/** Ours to say. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** One remote address over connections that are kept open. `fetch` would do the same at several times the cost. Redirects are never followed. */
export function createHttpPeer(address: string, ownHeaders: Readonly<Record<string, string>>): HttpPeer {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_MS }
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const request = isSecure ? requestHttps : requestHttp
  const secrets = secretsIn(ownHeaders)
  let target = urlToHttpOptions(url)

  /** Undefined where the request is impossible, such as with a header that no request can have. */
  function begin(
    settings: RequestOptions,
    onFailed: (error: Error, isUnsent: boolean) => void,
  ): ClientRequest | undefined {
    try {
      return request(settings)
    } catch (error) {
      queueMicrotask(() => onFailed(new Error(messageOf(error)), true))
      return undefined
    }
  }

  return Object.freeze({
    send(
      { method, headers, body }: HttpRequest,
      onResponse: (response: IncomingMessage) => void,
      onFailed: (error: Error, isUnsent: boolean) => void,
    ) {
      const all: OutgoingHttpHeaders = { ...ownHeaders, ...headers }
      if (body !== undefined) {
        all['content-type'] = 'application/json'
        all['content-length'] = Buffer.byteLength(body)
      }
      let isAnswered = false
      const sent = begin({ ...target, agent, method, headers: all }, onFailed)
      sent?.on('response', (response) => {
        isAnswered = true
        onResponse(response)
      })
      sent?.on('error', (error) => {
        if (!isAnswered) onFailed(error, !sent.writableFinished)
      })
      sent?.end(body)
      return { destroy: () => sent?.destroy() }
    },
    moveTo(location: string) {
      const next = URL.parse(location, url.href)
      if (next?.origin !== url.origin) return false
      target = urlToHttpOptions(next)
      return true
    },
    conceal: (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text),
    close: () => agent.destroy(),
  })
}

/** Without those that are about the connection, in lower case. */
export function toSafeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lower.filter(([name]) => !RESERVED.has(name)))
}

/** Values and the words in them: `Bearer x` is as secret as `x`. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_SECRET)
    .sort((a, b) => b.length - a.length)
}
