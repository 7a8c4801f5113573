import {
  type Client,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
  ProtocolError,
  SdkHttpError,
  SseError,
  type Tool,
} from '@modelcontextprotocol/client'
import type { Catalog, CatalogKind } from './catalog.ts'
import type { CatalogKeeper } from './catalog-keeper.ts'
import type { Clock } from './clock.ts'
import type { Era } from './era.ts'
import { ConnectionError } from './errors.ts'
import type { ServerRequestHandlers } from './handlers.ts'
import { closeLink, type Link, type LinkOptions } from './link.ts'
import { changeFilter, keepListening, type ListenOptions } from './listen.ts'
import { lostError } from './session-error.ts'
import type { Target } from './target.ts'

export interface SessionTimeouts {
  /** Start, handshake and lists together. */
  readonly connectMs: number
  /** A list, a ping, a subscription. */
  readonly requestMs: number
  /** How often a remote is asked whether it still lives. */
  readonly checkMs: number
}

export interface SessionOptions extends LinkOptions {
  readonly name: string
  readonly clientInfo: Implementation
  readonly handlers: ServerRequestHandlers
  /** What servers may ask of us, for whoever answers them past the handlers; by default what these can do. */
  readonly capabilities?: ClientCapabilities | undefined
  readonly timeouts: SessionTimeouts
  readonly knownEra: Era | undefined
  readonly logLevel?: LoggingLevel | undefined
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
  readonly onCatalog: (kind: CatalogKind) => void
  readonly onResource: (uri: string) => void
  readonly onLog: (entry: { level: string; logger?: string | undefined; data: unknown }) => void
}

/** One handshake with one server, and all that lives as long as it. */
export interface Session {
  readonly client: Client
  readonly era: Era
  readonly pid: number | null
  catalog(): Catalog
  headerTool(name: string): Tool | undefined
  /** Why it ended, once it has. */
  ending(): ConnectionError | undefined
  readonly ended: Promise<ConnectionError>
  /** Ends it: the calls in flight fail with this error. */
  fail(error: ConnectionError): void
  subscribe(uri: string, signal: AbortSignal): Promise<void>
  /** Asks a remote whether it still lives; without an answer the session ends. */
  check(): Promise<void>
  close(): Promise<void>
}

/** What begins when the handshake is done. */
export function createSession(
  client: Client,
  link: Link,
  keeper: CatalogKeeper,
  target: Target,
  options: SessionOptions,
): Session {
  const { name, timeouts, logger } = options
  const era = client.getProtocolEra() ?? 'legacy'
  const remote = target.type === 'http' || target.type === 'sse'
  const over = new AbortController()
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<ConnectionError>()
  let ending: ConnectionError | undefined
  let closing: Promise<void> | undefined
  let checking = false

  client.onclose = () => end(lostError(name, link))
  client.onerror = (error) => {
    logger.debug({ err: error, server: name }, 'out-of-band error of an MCP connection')
    // The SDK would open the event stream again, but to a server that has forgotten us.
    if (error instanceof SseError) fail(lostError(name, link, error))
    else if (remote) void check()
  }

  const listening: ListenOptions = {
    signal: over.signal,
    ackMs: timeouts.requestMs,
    clock: options.clock,
    random: options.random,
    logger,
    onReopened: keeper.refresh,
    onBroken: () => void check(),
  }
  const filter = changeFilter(client)
  if (era === 'modern' && Object.keys(filter).length > 0) void keepListening(client, filter, listening)
  const timer = remote ? setInterval(check, timeouts.checkMs).unref() : undefined

  function end(error: ConnectionError): void {
    if (ending) return
    ending = error
    clearInterval(timer)
    over.abort()
    resolveEnded(error)
  }

  function fail(error: ConnectionError): void {
    end(error)
    void close()
  }

  /** A remote has no process whose end could be seen: it is asked. */
  async function check(): Promise<void> {
    if (checking || ending) return
    checking = true
    try {
      const request = { timeout: timeouts.requestMs }
      await (era === 'modern' ? client.discover(request) : client.ping(request))
    } catch (error) {
      // Any answer is a sign of life.
      if (!(error instanceof ProtocolError)) fail(lostError(name, link, error))
    } finally {
      checking = false
    }
  }

  async function subscribe(uri: string, signal: AbortSignal): Promise<void> {
    if (!client.getServerCapabilities()?.resources?.subscribe) {
      throw new ConnectionError('refused', `MCP server "${name}" offers no subscriptions to its resources.`)
    }
    if (era === 'modern') {
      const stream = { ...listening, signal: AbortSignal.any([signal, over.signal]) }
      void keepListening(
        client,
        { resourceSubscriptions: [uri] },
        { ...stream, onReopened: () => options.onResource(uri) },
      )
      return
    }
    await client.subscribeResource({ uri }, { timeout: timeouts.requestMs })
    signal.addEventListener('abort', () => void unsubscribe(uri), { once: true })
  }

  async function unsubscribe(uri: string): Promise<void> {
    if (ending) return
    try {
      await client.unsubscribeResource({ uri }, { timeout: timeouts.requestMs })
    } catch (error) {
      logger.debug({ err: error, uri }, 'a resource could not be unsubscribed')
    }
  }

  function close(): Promise<void> {
    closing ??= finish(ending === undefined)
    return closing
  }

  async function finish(graceful: boolean): Promise<void> {
    end(new ConnectionError('closed', `The connection to MCP server "${name}" was closed.`))
    try {
      if (graceful) await link.endSession?.()
    } catch (error) {
      logger.debug({ err: error, server: name }, 'the server did not take the end of its session')
    }
    await closeLink(link, logger)
  }

  return Object.freeze({
    client,
    era,
    pid: link.stdio?.pid ?? null,
    catalog: keeper.current,
    headerTool: keeper.headerTool,
    ending: () => ending,
    ended,
    fail,
    subscribe,
    check,
    close,
  })
}

/** The remote answered that it does not know our session: nothing was done, and a new one may be asked. */
export function isSessionForgotten(error: unknown, session: Session): boolean {
  return session.era === 'legacy' && error instanceof SdkHttpError && error.data.status === 404
}
