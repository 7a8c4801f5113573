import { Agent, type AgentOptions, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { createHttpExchange, type ExchangeOptions, type HttpExchange } from './http-exchange.ts'

/** Posts JSON to one address. An abort cuts the connection, and rejects with its reason. A redirect is an answer like any other. */
export type HttpPost = (body: string, signal: AbortSignal) => HttpExchange

export interface HttpPostOptions extends Pick<ExchangeOptions, 'title' | 'idleMs' | 'clock'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Variables that name a proxy, where one is to be used. */
  readonly proxyEnv?: AgentOptions['proxyEnv']
}

/** Servers close what has been idle for 5 seconds, and few say so before: a request that meets the end of its connection is lost. */
const KEPT_MS = 4_000

/** With connections of its own, kept for later requests while they are used. */
export function createHttpPost({ url, headers, proxyEnv, ...watch }: HttpPostOptions): HttpPost {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const isSecure = protocol === 'https:'
  const kept = { keepAlive: true, timeout: KEPT_MS, proxyEnv }
  const agent = isSecure ? new TlsAgent(kept) : new Agent(kept)
  const send = isSecure ? tlsRequest : request
  const target = { protocol, hostname, port, path, agent, method: 'POST' }

  return (body, signal) => {
    const length = Buffer.byteLength(body)
    const outgoing = send({ ...target, headers: { ...headers, 'content-length': length } })
    outgoing.end(body)
    return createHttpExchange(outgoing, { signal, ...watch })
  }
}
