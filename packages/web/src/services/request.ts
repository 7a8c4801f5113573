import { readToken, refuseToken } from '../session/token.ts'
import { pathOf, type ServiceName } from './served.ts'

/** What a service answered in place of what was asked for, in its own words. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly status: number
  /** Everything that the body said. */
  readonly body: unknown
  constructor(status: number, message: string, body: unknown) {
    super(message)
    this.status = status
    this.body = body
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`; the headers say what it is. */
  readonly text?: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The JSON of an answer. The caller names its type: the contract of the service says it. */
export async function request<Answer>(
  service: ServiceName,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const response = await send(service, path, options)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** For answers that are no JSON, or that are read as they come. Throws `RequestFailed`. */
export async function send(
  service: ServiceName,
  path: string,
  { method = 'GET', body, text, query, headers, signal }: RequestOptions = {},
): Promise<Response> {
  const token = readToken()
  const response = await fetch(pathOf(service, path) + toQuery(query), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(text !== undefined && { body: text }),
    ...(signal && { signal }),
    // No cookies of other programs on this machine.
    credentials: 'omit',
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw error instanceof DOMException ? error : new RequestFailed(0, UNREACHABLE, undefined)
  })
  if (response.ok) return response
  // What was kept is of no use any more: the page asks for another.
  if (response.status === 401) refuseToken(token)
  throw await toFailure(response)
}

const UNREACHABLE = 'The server does not answer. It may be starting again: this page goes on by itself.'

function toQuery(query: RequestOptions['query']): string {
  const entries = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

async function toFailure(response: Response): Promise<RequestFailed> {
  const text = await response.text().catch(() => '')
  const body = parse(text)
  return new RequestFailed(
    response.status,
    toMessage(body) ?? `The server answered ${response.status}.`,
    body,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The services say `detail`, `message` or `error`. */
function toMessage(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  for (const key of ['detail', 'message', 'error'])
    if (key in body) {
      const value = (body as Record<string, unknown>)[key]
      if (typeof value === 'string') return value
      const inner = toMessage(value)
      if (inner !== undefined) return inner
    }
  return undefined
}
