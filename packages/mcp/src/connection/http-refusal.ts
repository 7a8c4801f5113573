import {
  extractWWWAuthenticateParams,
  type FetchLike,
  InsufficientScopeError,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { isRecord } from '../json.ts'

/** The server answered, with an HTTP error. The message is what it said itself, and may be empty. */
export class HttpRefusal extends Error {
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, text: string, retryAfterSeconds?: number) {
    super(quote(text))
    this.name = 'HttpRefusal'
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const MAX_QUOTE = 200
const MAX_READ = 16_384
const MAX_READ_MS = 2_000
const MAX_CAUSES = 5
const SECONDS = /^\d{1,9}$/
const UNPRINTABLE = /[\s\p{C}]+/gu

/**
 * Throws where the SDK would see a refusal too, but forget what came with it: its errors keep no `Retry-After`, and some of them neither text nor status.
 * Other statuses tell it something of the protocol (400, 404, 405), so they pass.
 */
export function refusableFetch(fetch: FetchLike): FetchLike {
  return async function fetchOrRefuse(url, init) {
    const response = await fetch(url, init)
    if (init?.method !== 'POST' || !isRefusal(response.status)) return response
    const text = (await readHead(response)) || extractWWWAuthenticateParams(response).errorDescription
    throw new HttpRefusal(response.status, text ?? '', secondsOf(response.headers.get('retry-after')))
  }
}

/** The refusal behind an error, whichever class says it. */
export function refusalOf(error: unknown): HttpRefusal | undefined {
  let candidate = error
  for (let depth = 0; depth < MAX_CAUSES && candidate instanceof Error; depth += 1) {
    const found = toRefusal(candidate)
    if (found) return found
    candidate = candidate.cause
  }
  return undefined
}

/** Such as `HTTP status 403: The token lacks a scope.` */
export function refusalText({ status, message }: HttpRefusal): string {
  return message === '' ? `HTTP status ${status}.` : `HTTP status ${status}: ${message.replace(/\.$/, '')}.`
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500
}

function toRefusal(error: Error): HttpRefusal | undefined {
  if (error instanceof HttpRefusal) return error
  if (error instanceof InsufficientScopeError) {
    return new HttpRefusal(403, error.errorDescription ?? error.message)
  }
  if (error instanceof UnauthorizedError) return new HttpRefusal(401, error.message)
  if (error instanceof SdkHttpError && isFailure(error.data.status)) {
    const { status, text } = error.data
    // The SDK explains a redirect; what the server wrote beside it is for browsers.
    return new HttpRefusal(status, status >= 400 && typeof text === 'string' ? text : error.message)
  }
  if (error instanceof SseError && isFailure(error.code)) return new HttpRefusal(error.code, error.message)
  return undefined
}

function isFailure(status: number | undefined): status is number {
  return status !== undefined && status >= 300
}

/** As much as there is within the bounds: a server that refuses us may also fall silent. */
async function readHead({ body }: Response): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // Ends a read that waits, too; that it cannot be cancelled any more is no loss.
  const stop = () => reader.cancel().catch(() => undefined)
  const deadline = setTimeout(stop, MAX_READ_MS)
  let text = ''
  try {
    while (text.length < MAX_READ) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // The status has said the most; the rest of the text is not worth another error.
  } finally {
    clearTimeout(deadline)
    void stop()
  }
  return text
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  if (SECONDS.test(header)) return Number(header)
  const milliseconds = Date.parse(header) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000))
}

function quote(text: string): string {
  return sentenceIn(text).replace(UNPRINTABLE, ' ').trim().slice(0, MAX_QUOTE).trim()
}

function sentenceIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return text
    const inner = isRecord(value.error) ? value.error.message : undefined
    const candidates = [value.detail, value.error_description, value.message, inner]
    return candidates.find((candidate) => typeof candidate === 'string') ?? text
  } catch {
    // Not JSON: the text speaks for itself.
    return text
  }
}
