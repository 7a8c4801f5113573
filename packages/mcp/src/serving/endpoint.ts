import {
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import type { Logger } from '@quire/kit/log'
import { watchBody } from './bounded-body.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { Caller, ServerFactory } from './factory.ts'
import { jsonRpcError, requestIdOf } from './json-rpc-response.ts'
import { readJsonBody } from './request-body.ts'
import { createSessions, type ServedSession } from './sessions.ts'

export interface EndpointOptions {
  readonly logger: Logger
  readonly maxSessions?: number
  readonly maxSessionsPerCaller?: number
  /** A session that nobody uses for this long is gone. */
  readonly sessionIdleMs?: number
  readonly maxBodyBytes?: number
  /** What a slow reader may leave unread. */
  readonly maxUnreadBytes?: number
  readonly keepAliveMs?: number
  readonly now?: () => number
}

export interface EndpointRequest<Principal extends Caller> {
  readonly principal?: Principal | undefined
  /** The body, where somebody has read it already. */
  readonly parsedBody?: unknown
}

export interface McpEndpoint<Principal extends Caller> {
  fetch(request: Request, options?: EndpointRequest<Principal>): Promise<Response>
  readonly notify: ChangeNotifier
  sessionCount(): number
  /** Ends all sessions and streams. */
  close(): Promise<void>
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE'])
const SESSION_HEADER = 'mcp-session-id'
const RETRY_SECONDS = '60'
const FIRST_MODERN = '2026'

/** The first two are what the SDK's own transport says in the same places. */
const CODES = Object.freeze({ server: -32000, noSession: -32001, invalidParams: -32602, internal: -32603 })

const INITIALIZE_HINT =
  'initialize needs params with protocolVersion (a string), capabilities (an object) and clientInfo (name and version).'

/**
 * MCP over HTTP, both eras on one URL: the stateless one and the one with sessions. Speaks `fetch`, so it can be mounted anywhere.
 * Host, Origin and token are looked at before a request comes here.
 */
export function createMcpEndpoint<Principal extends Caller = Caller>(
  factory: ServerFactory<Principal>,
  options: EndpointOptions,
): McpEndpoint<Principal> {
  const { logger, maxBodyBytes = 1024 * 1024, maxUnreadBytes = 1024 * 1024, keepAliveMs = 15_000 } = options
  const principals = new WeakMap<Request, Principal>()
  const bus = new InMemoryServerEventBus((error) =>
    logger.debug({ err: error }, 'a listener could not be told of a change'),
  )
  const modern = createMcpHandler(
    ({ requestInfo }) => createModernServer(requestInfo && principals.get(requestInfo)),
    {
      legacy: 'reject',
      bus,
      keepAliveMs,
      maxRequestBodySize: maxBodyBytes,
      onerror: (error) => logger.debug({ err: error }, 'a request to the MCP endpoint was refused'),
    },
  )
  const sessions = createSessions({
    maxSessions: options.maxSessions ?? 1000,
    maxSessionsPerCaller: options.maxSessionsPerCaller ?? 200,
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
    keepAliveMs,
    logger,
    now: options.now ?? (() => performance.now()),
  })
  let closing: Promise<void> | undefined

  async function fetch(
    request: Request,
    { principal, parsedBody }: EndpointRequest<Principal> = {},
  ): Promise<Response> {
    if (closing) {
      return refuse(503, CODES.server, 'The server is shutting down. Try again in a moment.', parsedBody)
    }
    if (!METHODS.has(request.method)) {
      const message = `${request.method} is not allowed here: use POST, GET or DELETE.`
      return jsonRpcError({
        status: 405,
        code: CODES.server,
        message,
        headers: { Allow: 'GET, POST, DELETE' },
      })
    }
    let body = parsedBody
    if (request.method === 'POST' && body === undefined) {
      const read = await readJsonBody(request, maxBodyBytes)
      if (read instanceof Response) return read
      body = read.body
    }
    if (isInitialize(body) && !isInitializeRequest(body) && !claimsModern(request)) {
      return refuse(200, CODES.invalidParams, INITIALIZE_HINT, body)
    }
    try {
      if (await isLegacyRequest(request, body)) return await serveLegacy(request, body, principal)
      if (principal) principals.set(request, principal)
      const response = await modern.fetch(request, { parsedBody: body })
      return watchBody(response, {
        maxUnreadBytes,
        signal: principal?.revoked,
        logger,
        onEnd: () => undefined,
      })
    } catch (error) {
      logger.error({ err: error }, 'the MCP endpoint failed')
      return refuse(500, CODES.internal, 'Internal server error.', body)
    }
  }

  /** The SDK answers a failure of the factory, but tells of it no louder than of a bad request. */
  async function createModernServer(principal: Principal | undefined): Promise<McpServer | Server> {
    try {
      return await factory({ era: 'modern', principal })
    } catch (error) {
      logger.error({ err: error }, 'an MCP server could not be made')
      throw error
    }
  }

  async function serveLegacy(
    request: Request,
    body: unknown,
    principal: Principal | undefined,
  ): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER)
    if (id !== null) {
      const session = sessions.find(id, principal)
      if (session) return exchange(session, request, body, principal)
      return refuse(404, CODES.noSession, 'There is no such session. Open a new one with initialize.', body)
    }
    if (!isInitialize(body)) {
      const message = `The header Mcp-Session-Id is missing. Open a session with initialize first.`
      return refuse(400, CODES.server, message, body)
    }
    return openSession(request, body, principal)
  }

  async function openSession(
    request: Request,
    body: unknown,
    principal: Principal | undefined,
  ): Promise<Response> {
    const session = await sessions.open(principal, () => factory({ era: 'legacy', principal }))
    if (session === 'full') {
      const message = 'All sessions are taken. Try again later, or end one that is no longer used.'
      return refuse(503, CODES.server, message, body, { 'Retry-After': RETRY_SECONDS })
    }
    if (session === 'caller-full') {
      const message =
        'You have too many sessions. End one of them with DELETE, or wait until it has gone stale.'
      return refuse(429, CODES.server, message, body, { 'Retry-After': RETRY_SECONDS })
    }
    if (session === 'revoked') {
      return refuse(401, CODES.server, 'Your credential has just been revoked. Use another one.', body)
    }
    try {
      return await exchange(session, request, body, principal)
    } finally {
      if (session.transport.sessionId === undefined) await session.close()
    }
  }

  async function exchange(
    { transport, use }: ServedSession,
    request: Request,
    body: unknown,
    principal: Principal | undefined,
  ): Promise<Response> {
    const release = use()
    try {
      const response = await transport.handleRequest(request, { parsedBody: body })
      return watchBody(response, { maxUnreadBytes, signal: principal?.revoked, logger, onEnd: release })
    } catch (error) {
      release()
      throw error
    }
  }

  function tellSessions(tell: (session: ServedSession) => Promise<void>): void {
    for (const session of sessions.all()) {
      tell(session).catch((error: unknown) =>
        logger.debug({ err: error }, 'a session could not be told of a change'),
      )
    }
  }

  const notify: ChangeNotifier = Object.freeze({
    toolsChanged() {
      modern.notify.toolsChanged()
      tellSessions(({ server }) => server.sendToolListChanged())
    },
    promptsChanged() {
      modern.notify.promptsChanged()
      tellSessions(({ server }) => server.sendPromptListChanged())
    },
    resourcesChanged() {
      modern.notify.resourcesChanged()
      tellSessions(({ server }) => server.sendResourceListChanged())
    },
    resourceUpdated(uri: string) {
      modern.notify.resourceUpdated(uri)
      tellSessions(async ({ server, subscriptions }) => {
        if (subscriptions.has(uri)) await server.sendResourceUpdated({ uri })
      })
    },
    isWatched: () =>
      bus.listenerCount > 0 || [...sessions.all()].some(({ subscriptions }) => subscriptions.size > 0),
  })

  return Object.freeze({
    fetch,
    notify,
    sessionCount: sessions.count,
    close(): Promise<void> {
      closing ??= Promise.allSettled([modern.close(), sessions.close()]).then(() => undefined)
      return closing
    },
  })
}

function refuse(
  status: number,
  code: number,
  message: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonRpcError({ status, code, message, id: requestIdOf(body), headers })
}

/** In the era without sessions there is no such method at all, which the SDK says. */
function claimsModern(request: Request): boolean {
  return (request.headers.get('mcp-protocol-version') ?? '') >= FIRST_MODERN
}

function isInitialize(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    'method' in body &&
    body.method === 'initialize' &&
    'id' in body
  )
}
