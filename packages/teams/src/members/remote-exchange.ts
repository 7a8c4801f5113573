import type { AgentAddress } from './agent-address.ts'
import { garbled, refused, unreachable } from './remote-failures.ts'

export interface ExchangeOptions {
  readonly address: AgentAddress
  readonly fetch: typeof fetch
  /** The longest silence, before the answer and within it. */
  readonly silenceMs: number
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body?: string
  readonly signal: AbortSignal
}

/** It is to be read or left in any case: that ends the exchange. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  chunks(): AsyncIterable<Uint8Array>
  leave(): void
}

const MOST_BYTES = 32 * 1024 * 1024
const MOST_ERROR_BYTES = 64 * 1024

/** One request to a runtime. Redirects are not followed. Throws an `AgentError`, or the signal's reason. */
export async function exchange(
  { address, fetch, silenceMs }: ExchangeOptions,
  { method, url, body, signal }: ExchangeRequest,
): Promise<Answered> {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new Error('It was silent for too long.')), silenceMs)

  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, control.signal]),
      headers: {
        'user-agent': 'quire',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(address.key !== undefined && { authorization: `Bearer ${address.key}` }),
      },
      ...(body !== undefined && { body }),
    })
    timer.refresh()
    const { status, headers } = response
    return Object.freeze({ status, headers, chunks: () => chunks(response), leave })
  } catch (error) {
    throw failed(error)
  }

  async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of response.body ?? []) {
        timer.refresh()
        yield chunk
      }
    } catch (error) {
      throw failed(error)
    } finally {
      leave()
    }
  }

  function failed(error: unknown): unknown {
    leave()
    return signal.aborted ? signal.reason : unreachable(address, error)
  }

  function leave(): void {
    clearTimeout(timer)
    control.abort()
  }
}

export async function assertOk(answered: Answered, address: AgentAddress): Promise<void> {
  const { status, headers } = answered
  if (status < 300) return
  if (status < 400) {
    answered.leave()
    throw refused(address, status, 'it redirects, which is not followed. Write the address that it leads to.')
  }
  const text = await readText(answered, MOST_ERROR_BYTES)
  throw refused(address, status, detailIn(text ?? ''), Number(headers.get('retry-after') ?? Number.NaN))
}

export async function readJson(answered: Answered, address: AgentAddress): Promise<unknown> {
  const text = await readText(answered, MOST_BYTES)
  if (text === undefined) throw garbled(address, `sent more than ${MOST_BYTES} bytes`)
  const value = parse(text)
  if (value === undefined) throw garbled(address, 'answered with something else than JSON')
  return value
}

/** Undefined where it is longer. */
async function readText(answered: Answered, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answered.chunks()) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function detailIn(text: string): string {
  const value = parse(text)
  const detail = typeof value === 'object' && value !== null && 'detail' in value ? value.detail : ''
  return typeof detail === 'string' ? detail : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whoever asks says what it means that this is no JSON.
    return undefined
  }
}
