import type { Logger } from '@quire/kit/log'
import type { Catalog } from '@quire/mcp/connection/catalog'
import type { Clock } from '@quire/mcp/connection/clock'
import type { Gate } from '../calls/gate.ts'
import type { Link, LinkOptions, OpenLink } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { MemoryOf } from './group-memory.ts'
import type { MayCall } from './health-check.ts'
import type { LineFiles } from './line-files.ts'
import type { PidRecord } from './pid-record.ts'
import type { ServerHistory, StartedBy, StoppedBy } from './server-history.ts'
import type { ServerState } from './server-state.ts'
import type { ServerFailure, ServerStatus, SupervisorEvent } from './supervisor.ts'

/** What all servers of a supervisor share. */
export interface LifeSupport extends Pick<LinkOptions, 'environment' | 'clientInfo'> {
  readonly openLink: OpenLink
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly memoryOf: MemoryOf
  readonly record: PidRecord | undefined
  readonly mayCall: MayCall | undefined
  readonly files: LineFiles
  /** Bounds how many servers start at a time. */
  readonly gate: Gate
  /** Never throws. */
  readonly tell: (event: SupervisorEvent) => void
}

export interface ServerLifeOptions extends LifeSupport {
  /** As it is now: it may change between two starts. */
  readonly definition: () => ServerDefinition
  /** Before the state `running` is told, and whenever it changes from then on. */
  readonly onCatalog: (catalog: Catalog) => void
}

export type StartOutcome = 'ready' | 'stopped' | ServerFailure

/** A server from its first start to its last end, one generation after the other. Whoever begins and ends it takes turns. */
export interface ServerLife {
  readonly state: ServerState
  status(): ServerStatus
  history: ServerHistory['runs']
  /** Of a server that runs, or whose session is being opened anew. */
  catalog(): Catalog
  /** Of a server that runs. */
  link(): Link | undefined
  /** The same, for somebody who is about to use it. */
  useLink(): Link | undefined
  /** It fell asleep for want of use, or was put to sleep; over when it runs, fails or is ended. */
  readonly isDormant: boolean
  /** It stays crashed because of a limit. */
  readonly hasGivenUp: boolean
  /** How the present start turns out. */
  starting(): Promise<StartOutcome>
  /** Only where nothing is left of an earlier generation. Clears the limit. */
  begin(by: StartedBy): void
  /** The same for a call that needs it; what has failed keeps its limit. */
  wake(): void
  /** In how long a call may wake one that has failed; undefined: never. */
  wakeableInMs(): number | undefined
  putToSleep(): void
  /** Ends whatever there is. */
  end(by: StoppedBy): Promise<void>
  /** A server that is down, or on its way there, plans no further start; done when nothing is left of it. */
  rest(): Promise<void>
  countRestart(): void
  clearLimit(): void
}
