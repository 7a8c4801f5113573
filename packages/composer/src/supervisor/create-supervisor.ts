import type { Logger } from '@quire/kit/log'
import { type Clock, systemClock } from '@quire/mcp/connection/clock'
import { createGate } from '../calls/gate.ts'
import type { LinkOptions, OpenLink } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { CatalogMemory } from './catalog-memory.ts'
import { compareServers } from './compare-servers.ts'
import { createGroupMemory, type MemoryOf } from './group-memory.ts'
import type { MayCall } from './health-check.ts'
import { createLineFiles } from './line-files.ts'
import type { PidRecord } from './pid-record.ts'
import { createSupervisedServer, type ServerKeeper } from './supervised-server.ts'
import type { ServerChanges, Supervisor, SupervisorEvent } from './supervisor.ts'

export interface SupervisorOptions extends Pick<LinkOptions, 'environment' | 'clientInfo'> {
  readonly openLink: OpenLink
  readonly logger: Logger
  readonly onEvent: (event: SupervisorEvent) => void
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  readonly memoryOf?: MemoryOf | undefined
  readonly record?: PidRecord | undefined
  readonly remembered?: CatalogMemory | undefined
  /** Absent: a health check may call any tool. */
  readonly mayCall?: MayCall | undefined
}

const MAX_STARTING = 16

/** Keeps a set of servers alive, each for itself: what one of them does never holds up another. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { logger, onEvent } = options
  const support = {
    ...options,
    tell,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    memoryOf: options.memoryOf ?? createGroupMemory(),
    record: options.record,
    remembered: options.remembered,
    mayCall: options.mayCall,
    files: createLineFiles({ logger }),
    gate: createGate(() => ({ inside: MAX_STARTING, waiting: Number.POSITIVE_INFINITY })),
  }
  let keepers: ReadonlyMap<string, ServerKeeper> = new Map()
  /** Removed, and not yet gone. */
  const leaving = new Map<string, Promise<void>>()
  let closed: Promise<void> | undefined

  function tell(event: SupervisorEvent): void {
    const failed = (error: unknown) =>
      logger.error({ event: event.type, server: event.server, err: error }, 'an event could not be handled')
    try {
      const handled: unknown = onEvent(event)
      if (handled instanceof Promise) handled.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  function apply(definitions: readonly ServerDefinition[]): ServerChanges {
    if (closed) throw new Error('the supervisor is closed')
    const names = definitions.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`two servers are named "${twice}"`)
    const before = keepers
    const present = [...before.values()].map(({ server }) => server.definition)
    const changes = compareServers(present, definitions)
    keepers = new Map(definitions.map((definition) => [definition.name, keeperOf(definition)]))
    for (const name of changes.removed) letGo(name, before.get(name))
    for (const definition of definitions) {
      const keeper = keepers.get(definition.name)
      if (changes.added.includes(definition.name)) keeper?.launch()
      else if (changes.changed.includes(definition.name)) keeper?.redefine(definition)
      else keeper?.renew()
    }
    return changes
  }

  function keeperOf(definition: ServerDefinition): ServerKeeper {
    const { name } = definition
    return keepers.get(name) ?? createSupervisedServer(definition, { ...support, after: leaving.get(name) })
  }

  function letGo(name: string, keeper: ServerKeeper | undefined): void {
    if (!keeper) return
    const gone = retired(name, keeper).finally(() => {
      if (leaving.get(name) === gone) leaving.delete(name)
    })
    leaving.set(name, gone)
  }

  async function retired(name: string, keeper: ServerKeeper): Promise<void> {
    try {
      await keeper.retire()
    } catch (error) {
      logger.error({ server: name, err: error }, 'a server could not be ended well')
    }
  }

  async function close(): Promise<void> {
    for (const [name, keeper] of keepers) letGo(name, keeper)
    await Promise.all(leaving.values())
    await support.files.settled()
  }

  return Object.freeze({
    servers: () => [...keepers.values()].map(({ server }) => server),
    find: (name: string) => keepers.get(name)?.server,
    async apply(definitions: readonly ServerDefinition[]) {
      return apply(definitions)
    },
    close(): Promise<void> {
      closed ??= close()
      return closed
    },
  })
}
