import type { Catalog, CatalogKind } from '@quire/mcp/connection/catalog'
import type { Link, LinkLog } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerRun } from './server-history.ts'
import type { ServerState } from './server-state.ts'

/** One configured server and the life we keep it in. */
export interface SupervisedServer {
  readonly name: string
  readonly definition: ServerDefinition
  status(): ServerStatus
  /** Its last runs, the newest first. */
  history(): readonly ServerRun[]
  /** Empty unless it runs; of a lazy one what is remembered, and of a remote that forgot our session what it offered before. */
  catalog(): Catalog
  /** The link of a running server, for calls that find none there: undefined. */
  link(): Link | undefined
  /** Waits for a server that is starting, starts a lazy one, even one that has failed unless that was just now. Rejects with a `ComposerError`: not running (400), crashed (503). */
  use(signal: AbortSignal): Promise<Link>
  /** Resolves when it is ready. Rejects with a `ComposerError`: already running (400), failed with its reason (500). Clears the crash limit. */
  start(): Promise<void>
  /** Resolves when nothing of it is left. Rejects when it is stopped already (400). */
  stop(): Promise<void>
  /** From any state. */
  restart(): Promise<void>
}

export interface ServerStatus {
  readonly state: ServerState
  readonly pid: number | null
  /** Whole and fractions; null unless it runs. */
  readonly uptimeSeconds: number | null
  /** Restarts that we decided on, and those that somebody asked for. */
  readonly restartCount: number
  readonly lastError: ServerFailure | null
  /** Of a server that waits for its next start. */
  readonly retryInMs: number | null
}

export interface ServerFailure {
  /** A sentence: what happened. */
  readonly reason: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last 50 lines. */
  readonly stderr: readonly string[]
  /** ISO 8601. */
  readonly at: string
}

export interface StartFacts {
  readonly tookMs: number
  /** How many starts or runs in a row had failed before. */
  readonly failures: number
}

export type SupervisorEvent =
  | {
      readonly type: 'state'
      readonly server: string
      readonly state: ServerState
      /** Of one that has crashed. */
      readonly failure?: ServerFailure
      /** Of one that has crashed and is started again by itself. */
      readonly retryInMs?: number
      /** Of one that runs: how its start went. */
      readonly start?: StartFacts
    }
  | { readonly type: 'catalog'; readonly server: string; readonly kind: CatalogKind }
  | { readonly type: 'resource'; readonly server: string; readonly uri: string }
  | { readonly type: 'log'; readonly server: string; readonly entry: LinkLog }
  | { readonly type: 'stderr'; readonly server: string; readonly line: string }
  | { readonly type: 'garbage'; readonly server: string }

/** By name. */
export interface ServerChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
}

export interface Supervisor {
  /** In the order of the configuration. */
  servers(): readonly SupervisedServer[]
  find(name: string): SupervisedServer | undefined
  /** Makes the set of servers what these say: starts the new, stops the removed, restarts the changed, and leaves the rest alone. Clears crash limits. Done when it has begun; no server is waited for. */
  apply(definitions: readonly ServerDefinition[]): Promise<ServerChanges>
  /** Stops everything, at once; done when nothing is left. */
  close(): Promise<void>
}
