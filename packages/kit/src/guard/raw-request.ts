import type { IncomingMessage } from 'node:http'
import { hostName } from './host.ts'

/** A request as it came over the wire: what fetch's `Request` joins, drops or normalises is still to be seen here. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** Every value of a header, in order, doubled ones kept apart. The name is in lower case. */
  header(name: string): readonly string[]
}

const tamedTargets = new WeakMap<IncomingMessage, string>()

/** Reads the Node request behind a fetch request where there is one, and otherwise (a test, another runtime) the fetch request itself. */
export function rawRequest(request: Request, incoming: IncomingMessage | undefined): RawRequest {
  return incoming ? fromIncoming(incoming) : fromRequest(request)
}

/**
 * The HTTP adapter builds a URL from Host and target, and answers 400 by itself where it cannot. So that every refusal is the service's own
 * (421 for a Host, its error body), what no URL can be built from is replaced here by something plain; the guards still see the original.
 */
export function tameRequest(incoming: IncomingMessage): void {
  const host = incoming.headers.host ?? ''
  if (!isPlainHost(host)) incoming.headers.host = 'unreadable.invalid'
  const target = incoming.url ?? ''
  if (!target.startsWith('/') || target.includes('\\')) {
    tamedTargets.set(incoming, target)
    incoming.url = '/'
  }
}

function isPlainHost(host: string): boolean {
  const name = hostName(host)
  if (name === 'localhost' || name === '127.0.0.1') return true
  return name !== undefined && URL.parse(`http://${host}/`)?.hostname === name
}

function fromIncoming(incoming: IncomingMessage): RawRequest {
  const { rawHeaders } = incoming
  return {
    method: incoming.method ?? '',
    target: tamedTargets.get(incoming) ?? incoming.url ?? '',
    header(name) {
      const values: string[] = []
      for (let index = 0; index < rawHeaders.length; index += 2) {
        const candidate = rawHeaders[index]
        if (candidate?.length === name.length && candidate.toLowerCase() === name)
          values.push(rawHeaders[index + 1] ?? '')
      }
      return values
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
  }
}
