import type { Logger } from '@quire/kit/log'
import type { Catalog, CatalogKind } from '@quire/mcp/connection/catalog'
import type { Environment } from '@quire/mcp/connection/child-environment'
import type { Era } from '@quire/mcp/connection/era'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { ServerDefinition } from '../server-definition.ts'

/** One handshake with one server and all that lives as long as it. It never opens itself again: that is its supervisor's to do. */
export interface Link {
  readonly server: string
  /** Of the process we started, if we did. */
  readonly pid: number | null
  /** In which era a request of a client of that era travels: some servers speak both, others only one. A promise where it has to be tried first. */
  eraFor(era: Era): Era | Promise<Era>
  info(): LinkInfo
  /** What the server offers, as last read. */
  catalog(): Catalog
  /**
   * One request, answered with what the server wrote. Our own id and progress token go to the server, whatever the asker's are.
   * Rejects with a `LinkError` when there is no answer.
   */
  request(method: string, params: Params, asker: Asker): Promise<Reply>
  notify(method: string, params?: Params): Promise<void>
  /** Updates come through `onResource` until the signal aborts. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>
  /** Resolves when the server answers. */
  ping(timeoutMs: number): Promise<void>
  /** Why it ended; resolves once, whoever ended it. */
  readonly ended: Promise<LinkEnd>
  /** Graceful: stdin, SIGTERM, SIGKILL to the whole group; done when nothing is left. */
  close(): Promise<void>
}

export interface LinkInfo {
  readonly protocolVersion: string
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly instructions: string | undefined
}

export interface LinkEnd {
  /** A sentence, such as `ended with exit code 1`. */
  readonly reason: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last 50 lines of standard error. */
  readonly stderr: readonly string[]
  /** A remote that no longer knows our session; nothing is wrong with it, and a new one may be opened at once. */
  readonly isForgotten: boolean
  /** Closed by us. */
  readonly isClosed: boolean
}

export interface LinkEvents {
  readonly onCatalog: (kind: CatalogKind) => void
  readonly onResource: (uri: string) => void
  /** A log message of the server that belongs to no asker. */
  readonly onLog: (entry: LinkLog) => void
  readonly onStderr: (line: string) => void
  /** What was no message, an answer to nobody or a second answer: skipped and counted. */
  readonly onGarbage: () => void
}

export interface LinkLog {
  readonly level: string
  readonly logger?: string | undefined
  readonly data: unknown
}

export interface LinkOptions extends LinkEvents {
  readonly logger: Logger
  /** Our own, of which a server sees only the few names every program needs. */
  readonly environment: Environment
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** Ends the attempt. */
  readonly signal: AbortSignal
  /** Handshake and lists together. */
  readonly readyMs: number
  /** The era that this server spoke last time spares the question for it. */
  readonly knownEra?: Era | undefined
  readonly maxMessageBytes?: number | undefined
  readonly stopTimes?: { readonly endMs: number; readonly terminateMs: number } | undefined
}

/** Rejects with a `LinkError` whose message says why; nothing is left running then. */
export type OpenLink = (definition: ServerDefinition, options: LinkOptions) => Promise<Link>
