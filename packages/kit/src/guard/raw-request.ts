import type { IncomingMessage } from 'node:http'
import { hostName } from './host.ts'

/** A request as it came over the wire: what fetch's `Request` joins, drops or normalises is still to be seen here. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** Every value of a header, in order, doubled ones kept apart. The name is in lower case. */
  header(name: string): readonly string[]
  /** 0 when there is no body, undefined when its length is not known before it is read. */
  bodyLength(request: Request): number | undefined
}

/** The one method that Node lets through and fetch cannot carry. */
export const UNFETCHABLE_METHOD = 'TRACE'

const tamed = new WeakMap<IncomingMessage, { method: string; target: string }>()

/** Reads the Node request behind a fetch request where there is one, and otherwise (a test, another runtime) the fetch request itself. */
export function rawRequest(request: Request, incoming: IncomingMessage | undefined): RawRequest {
  return incoming ? rawIncoming(incoming) : fromRequest(request)
}

/**
 * The HTTP adapter builds a fetch request from what came, and answers by itself where it cannot. So that every refusal is the service's own (421 for a
 * Host, its error body), what no request can be built from is replaced here by something plain; the guards still see the original.
 */
export function tameRequest(incoming: IncomingMessage): void {
  if (!isPlainHost(incoming.headers.host ?? '')) incoming.headers.host = 'unreadable.invalid'
  const { method = '', url: target = '' } = incoming
  const oddMethod = method === UNFETCHABLE_METHOD
  const oddTarget = !target.startsWith('/') || target.includes('\\')
  if (!oddMethod && !oddTarget) return
  tamed.set(incoming, { method, target })
  if (oddMethod) incoming.method = 'GET'
  if (oddTarget) incoming.url = '/'
}

function isPlainHost(host: string): boolean {
  const name = hostName(host)
  if (name === 'localhost' || name === '127.0.0.1') return true
  return name !== undefined && URL.parse(`http://${host}/`)?.hostname === name
}

export function rawIncoming(incoming: IncomingMessage): RawRequest {
  const { rawHeaders } = incoming
  const { method, target } = tamed.get(incoming) ?? {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
  }

  function header(name: string): readonly string[] {
    const values: string[] = []
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const candidate = rawHeaders[index]
      if (candidate?.length === name.length && candidate.toLowerCase() === name)
        values.push(rawHeaders[index + 1] ?? '')
    }
    return values
  }

  return {
    method,
    target,
    header,
    bodyLength(request) {
      if (incoming.httpVersionMajor !== 1) return lengthUnknown(request)
      if (header('transfer-encoding').length > 0) return undefined
      return Number(header('content-length')[0] ?? 0)
    },
  }
}

function fromRequest(request: Request): RawRequest {
  const url = new URL(request.url)
  return {
    method: request.method,
    target: url.pathname + url.search,
    header(name) {
      const value = request.headers.get(name)
      if (value !== null) return [value]
      return name === 'host' ? [url.host] : []
    },
    bodyLength: lengthUnknown,
  }
}

function lengthUnknown(request: Request): number | undefined {
  return request.body === null ? 0 : undefined
}
