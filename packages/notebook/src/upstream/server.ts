import type { Logger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import type { WebSocket } from 'ws'
import { type HeaderFields, isRefused } from './access.ts'
import { parseAddress, toUrl } from './address.ts'
import { chooseAccess } from './choose-access.ts'
import { createExchange } from './exchange.ts'
import { explainFailure, parseAnswer } from './failure.ts'
import { createQuote } from './quote.ts'
import { shakeHands } from './socket.ts'

/** How to reach one notebook server. Credentials belong to this address and never go to another origin. */
export interface ServerTarget {
  /** With its path prefix, such as `https://hub.example.org/user/ada`. */
  readonly url: string
  readonly token?: string | undefined
  /** Beats the token. */
  readonly password?: string | undefined
  /** The token may go into the query of a WebSocket handshake whose header was refused. */
  readonly allowTokenInUrl?: boolean | undefined
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** One notebook server: authenticated requests and sockets, errors in plain words (`ToolError`). */
export interface JupyterServer {
  /** The normalised address without credentials, for replies and logs. */
  readonly url: string
  /** `path` is given in raw segments, which are encoded one by one. Answers the parsed JSON, undefined for an empty answer. */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: readonly string[],
    options?: RequestOptions,
  ): Promise<unknown>
  /**
   * An open socket. Resolves after the handshake, and rejects with a `ToolError` that says why not. It is its owner's from then on: whoever attaches listeners right away
   * misses no message, and `protocol` is empty where the server knows none of those offered.
   */
  openSocket(path: readonly string[], options: SocketOptions): Promise<WebSocket>
  /** Aborts what is under way, and lets nothing begin any more. Open sockets stay with their owners. */
  close(): Promise<void>
}

export interface SocketOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

export interface ServerDeps {
  readonly logger: Logger
  readonly fetch?: typeof globalThis.fetch
  /** How long a request may take that says nothing else itself. */
  readonly requestTimeoutMs?: number
  readonly maxAnswerBytes?: number
}

const REQUEST_MS = 10_000
/** A kernel's socket opens when the kernel answers, which may only be starting. */
const HANDSHAKE_MS = 60_000
const MAX_BYTES = 100 * 1024 * 1024
const TOKEN_IN_URL =
  'Where requests work and only WebSockets are refused, the server may want the token in the address: NOTEBOOKHUB_ALLOW_TOKEN_IN_URL=1 allows that.'

export function createJupyterServer(target: ServerTarget, deps: ServerDeps): JupyterServer {
  const { logger, fetch = globalThis.fetch, requestTimeoutMs = REQUEST_MS, maxAnswerBytes = MAX_BYTES } = deps
  const base = parseAddress(target.url)
  const token = target.token || undefined
  const password = target.password || undefined
  const quote = createQuote(createRedactor({ secrets: [token ?? '', password ?? ''] }))
  const exchange = createExchange({ base, fetch, quote, requestTimeoutMs, maxAnswerBytes })
  const access = chooseAccess({ token, password }, exchange, logger)
  const sentToken = password === undefined ? token : undefined

  return Object.freeze<JupyterServer>({
    url: base,

    async request(method, path, { query, body, signal, timeoutMs } = {}) {
      const url = toUrl(base, path, query)
      const call = exchange.callFor(method, url)
      const content = body === undefined ? null : JSON.stringify(body)
      const type = content === null ? {} : { 'content-type': 'application/json' }
      const answer = await exchange.within(call, { timeoutMs, signal }, (either) =>
        access.perform({ method, url, signal: either }, (credentials) => {
          const headers = { accept: 'application/json', ...type, ...credentials }
          return exchange.send(call, { headers, body: content, signal: either })
        }),
      )
      if (answer.status < 200 || answer.status >= 300) throw explainFailure(call, answer, access.refusal)
      return parseAnswer(call, answer)
    },

    async openSocket(path, { query, protocols = [], signal, timeoutMs = HANDSHAKE_MS }) {
      const url = toUrl(base, path, query)
      const call = exchange.callFor('GET', url)
      const handshake = await exchange.within(call, { timeoutMs, signal }, async (either) => {
        const attempt = (headers: HeaderFields, at = url) =>
          shakeHands({ ...call, url: at }, { headers, protocols, maxPayload: maxAnswerBytes, signal: either })
        const answer = await access.perform({ method: 'GET', url, signal: either }, (headers) =>
          attempt(headers),
        )
        if (!isRefused(answer) || sentToken === undefined || !target.allowTokenInUrl) return answer
        return attempt({}, toUrl(base, path, { ...query, token: sentToken }))
      })
      const { socket } = handshake
      if (!socket) {
        const refusal = sentToken === undefined ? access.refusal : `${access.refusal} ${TOKEN_IN_URL}`
        throw explainFailure(call, handshake, refusal)
      }
      setImmediate(() => socket.resume())
      return socket
    },

    async close() {
      exchange.close()
    },
  })
}
