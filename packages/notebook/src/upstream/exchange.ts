import { type Answer, readAnswer, readPage } from './answer.ts'
import type { Call } from './call.ts'
import { withDeadline } from './deadline.ts'
import type { Quote } from './quote.ts'

export interface ExchangeOptions {
  readonly base: string
  readonly fetch: typeof globalThis.fetch
  readonly quote: Quote
  readonly requestTimeoutMs: number
  readonly maxAnswerBytes: number
}

/** Requests to one server as they are: no credentials are added, no redirect is followed, nothing is repeated. */
export interface Exchange {
  readonly base: string
  callFor(method: string, url: URL): Call
  send(call: Call, init: RequestInit): Promise<Answer>
  /** For a page of which only the cookies and the beginning matter. */
  visit(call: Call, init: RequestInit): Promise<Answer>
  /** Does work that ends in time, when the caller leaves or when the server is closed. */
  within<Result>(
    call: Call,
    limits: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined },
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  /** Ends what is under way, and lets nothing begin any more. */
  close(): void
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { base, fetch, quote, requestTimeoutMs, maxAnswerBytes } = options
  const closing = new AbortController()

  const ask = ({ method, url }: Call, init: RequestInit) =>
    fetch(url, { ...init, method, redirect: 'manual' })
  const within: Exchange['within'] = (call, { timeoutMs = requestTimeoutMs, signal }, work) =>
    withDeadline(call, { timeoutMs, signal, closed: closing.signal }, work)

  return Object.freeze({
    base,
    within,
    callFor: (method: string, url: URL) => ({ method, url, base, quote }),
    send: async (call: Call, init: RequestInit) => readAnswer(await ask(call, init), maxAnswerBytes),
    visit: (call: Call, init: RequestInit) =>
      within(call, {}, async (signal) => readPage(await ask(call, { ...init, signal }))),
    close: () => closing.abort(),
  })
}
