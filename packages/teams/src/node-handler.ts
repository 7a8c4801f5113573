import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { tameRequest } from '@quire/kit/guard/raw-request'

export interface NodeHandlerOptions {
  /** Where the service is, in the path that the client asked for. Absent: what Express has cut off that path, or nothing. */
  readonly prefix?: string
}

/** With what Express and its body parsers add. */
export interface NodeRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly baseUrl?: string
  readonly body?: unknown
  /** What a parser may have kept of it as it came. */
  rawBody?: unknown
}

/** As Fastify hands it to a route. */
export interface WrappedRequest {
  readonly raw: IncomingMessage
  readonly body?: unknown
}

export interface WrappedReply {
  readonly raw: ServerResponse
  hijack(): unknown
  getHeaders(): Readonly<Record<string, number | string | readonly string[] | undefined>>
}

/** Takes what is under the prefix, and whatever is said of it is said by the service. The rest, and what the service throws, goes to `next`. */
export type NodeHandler = (
  request: NodeRequest | WrappedRequest,
  response: ServerResponse | WrappedReply,
  next?: (error?: unknown) => void,
) => void

type Fetch = (request: Request, env?: object) => Response | Promise<Response>

/** A service of ours inside Express, Fastify or a bare `http` server. Inside Hono `.mount(prefix, fetch)` does the same. */
export function createNodeHandler(fetch: Fetch, options: NodeHandlerOptions = {}): NodeHandler {
  const given = options.prefix === undefined ? undefined : parsePrefix(options.prefix)

  return function handle(request, response, next) {
    const incoming: NodeRequest = 'raw' in request ? request.raw : request
    const url = incoming.url ?? '/'
    const target = incoming.originalUrl ?? url
    const prefix = given ?? incoming.baseUrl ?? ''
    if (!isUnder(target, prefix)) {
      if (next) next()
      else takeOver(response).writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
      return
    }

    function answer(fetchRequest: Request, env: object): Response | Promise<Response> {
      // The guards are to see what was sent, and the docs what stands before their own path.
      incoming.url = target
      restoreBody(incoming, request.body)
      return fetch(fetchRequest, env)
    }

    function fail(error: unknown): Response | undefined {
      incoming.url = url
      if (next) {
        next(error)
        return undefined
      }
      process.emitWarning(toError(error))
      return new Response('Internal server error', { status: 500 })
    }

    const outgoing = takeOver(response)
    incoming.url = target
    tameRequest(incoming)
    if (incoming.url === target) incoming.url = cutOff(target, prefix)
    // What `Request` and `Response` are to the parent application is its own affair.
    const listen = getRequestListener(answer, { errorHandler: fail, overrideGlobalObjects: false })
    listen(incoming, outgoing).catch((error: unknown) => outgoing.destroy(toError(error)))
  }
}

/** Without a slash at its end, and empty for the root. */
function parsePrefix(prefix: string): string {
  if (prefix === '' || prefix.startsWith('/')) return prefix.replace(/\/+$/, '')
  throw new Error(`The prefix ${JSON.stringify(prefix)} must begin with "/", as in "/api/teams".`)
}

function isUnder(target: string, prefix: string): boolean {
  return (
    target.startsWith(prefix) &&
    (target.length === prefix.length || /[/?]/.test(target.charAt(prefix.length)))
  )
}

function cutOff(target: string, prefix: string): string {
  const rest = target.slice(prefix.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The answer is ours from here on, with the headers that the parent has put on it. */
function takeOver(response: ServerResponse | WrappedReply): ServerResponse {
  if (!('hijack' in response)) return response
  response.hijack()
  for (const [name, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) response.raw.setHeader(name, value)
  return response.raw
}

/** A body that a parser has read is gone from the stream: it is put down again, where the adapter looks for it. */
function restoreBody(incoming: NodeRequest, parsed: unknown): void {
  const body = incoming.rawBody ?? parsed
  if (incoming.readableDidRead && body !== undefined) incoming.rawBody = toBytes(body)
}

function toBytes(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return Buffer.from(typeof body === 'string' ? body : toJson(body))
}

/** Parsers go deeper than writers: what is too deep to be written is refused for being deep. */
const TOO_DEEP = '['.repeat(1_000) + ']'.repeat(1_000)

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    throw error
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('something that is no Error was thrown', { cause: error })
}
