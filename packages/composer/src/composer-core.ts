import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Principal } from '@quire/kit/auth/principal'
import { closeAll } from '@quire/kit/close-all'
import type { Logger } from '@quire/kit/log'
import type { Metrics } from '@quire/kit/metrics'
import type { Redactor } from '@quire/kit/redact'
import { CATALOG_KINDS } from '@quire/mcp/connection/catalog'
import type { Environment } from '@quire/mcp/connection/child-environment'
import { type Access, createAccess } from './access/access.ts'
import { type CallLimiter, createCallLimits } from './access/call-limits.ts'
import { type Audit, type AuditEntry, createAudit } from './audit/audit.ts'
import { type BuiltIn, toBuiltInDefinition } from './built-in.ts'
import type { Calls } from './calls/calls.ts'
import { createCalls } from './calls/create-calls.ts'
import type { ComposedCatalog } from './catalog/composed-catalog.ts'
import { createComposedCatalog } from './catalog/create-composed-catalog.ts'
import { createPinFile } from './catalog/pin-file.ts'
import type { ComposerConfig } from './config/config.ts'
import { createGateway } from './gateway/create-gateway.ts'
import { driveGateway } from './gateway/drive-gateway.ts'
import type { DrivenGateway } from './gateway/driven-gateway.ts'
import { openLink } from './link/open-link.ts'
import { createComposerLogger } from './logs/composer-logger.ts'
import { createLogBook } from './logs/create-log-book.ts'
import type { LogBook } from './logs/log-book.ts'
import { createSupervisorLines } from './logs/supervisor-lines.ts'
import { type ComposerMetrics, createComposerMetrics } from './metrics/composer-metrics.ts'
import { openCatalogMemory } from './supervisor/catalog-memory.ts'
import { createSupervisor } from './supervisor/create-supervisor.ts'
import { createPidRecord, sweepLeftovers } from './supervisor/pid-record.ts'
import type { ServerChanges, Supervisor, SupervisorEvent } from './supervisor/supervisor.ts'

const LISTS = ['tools', 'prompts', 'resources'] as const

export interface CoreOptions {
  readonly version: string
  readonly config: ComposerConfig
  readonly environment: Environment
  /** Where processes, pins and the catalogs of lazy servers are remembered. */
  readonly dataDir: string
  readonly builtIn?: BuiltIn | undefined
}

export interface CoreDeps {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly redactor: Redactor
}

/** The servers and everything that is known of them, without a word of HTTP. */
export interface ComposerCore {
  readonly logger: Logger
  readonly logBook: LogBook
  readonly metrics: ComposerMetrics
  readonly supervisor: Supervisor
  /** One for servers beside those of the configuration; its owner closes it. */
  createSupervisor(onEvent: (event: SupervisorEvent) => void): Supervisor
  readonly catalog: ComposedCatalog
  readonly calls: Calls
  readonly gateway: DrivenGateway
  readonly access: Access
  config(): ComposerConfig
  /** Counts one tool call; throws a `CallerError` (429) when there were too many. */
  limit(principal: Principal | undefined): Promise<void>
  record(entry: AuditEntry): void
  /** Makes everything what the configuration says. Done when it has begun; no server is waited for. */
  apply(config: ComposerConfig): Promise<ServerChanges>
  close(): Promise<void>
}

export async function createComposerCore(options: CoreOptions, deps: CoreDeps): Promise<ComposerCore> {
  const { version, environment, dataDir } = options
  const { redactor } = deps
  let { config } = options
  let limits: CallLimiter = createCallLimits(config.authorization)
  const startedAt = performance.now()
  const offering = new Set<string>()
  const logBook = createLogBook({ redactor })
  const logger = createComposerLogger({ logger: deps.logger, book: logBook, level: 'info', redactor })
  const state = (file: string) => join(dataDir, 'composer', file)
  const processes = { file: state('processes.json'), logger }
  await mkdir(state('.'), { recursive: true, mode: 0o700 }).catch((error: unknown) =>
    logger.warn({ dataDir, err: error }, 'the data folder cannot be made; what it would keep is lost'),
  )
  await sweepLeftovers(processes)
  const pins = await createPinFile(state('tools.json'), { logger })
  const remembered = await openCatalogMemory({ file: state('catalogs.json'), logger })

  const catalog = createComposedCatalog({
    pins,
    onToolChanged({ id, pinned }) {
      const deed = pinned ? 'it is blocked until somebody approves it' : 'look whether that was meant'
      logger.warn({ tool: id }, `a tool has another definition than the one first seen: ${deed}`)
    },
  })
  const builtIn = options.builtIn?.servers.map(toBuiltInDefinition) ?? []
  /** What the file says under the same name comes first. */
  const inUse = () => builtIn.filter(({ name }) => !config.servers.some((server) => server.name === name))
  const access = createAccess(config.authorization, {
    names: () => new Set(inUse().map(({ name }) => name)),
    isFor: (principal) => options.builtIn?.isHiddenFrom(principal) ?? false,
  })
  const audit: Audit = createAudit({ file: config.monitoring.auditFile, logger, redactor })
  const calls = createCalls()
  const record = createPidRecord(processes)
  const supervise = (onEvent: (event: SupervisorEvent) => void) =>
    createSupervisor({
      openLink,
      // What happens to servers stands in the book already, as lines of their own.
      logger: deps.logger,
      environment,
      clientInfo: { name: 'quire-composer', version },
      onEvent,
      record,
      remembered,
      mayCall: (server, tool) => catalog.findTool(`${server}:${tool}`)?.trust !== 'blocked',
    })
  const supervisor: Supervisor = supervise(observe)
  const metrics = createComposerMetrics({
    metrics: deps.metrics,
    version,
    servers: supervisor.servers,
    catalog,
    uptimeSeconds: () => (performance.now() - startedAt) / 1000,
  })
  const writeLines = createSupervisorLines({
    book: logBook,
    withServerLines: () => config.monitoring.aggregateServerLogs,
  })
  const gateway = createGateway({
    catalog,
    supervisor,
    calls,
    settings: () => ({ name: config.composer.name, version, mode: config.tools.mode }),
    viewOf: access.viewOf,
    limit: admit,
    logger,
    onCall: writeDown,
  })

  function observe(event: SupervisorEvent): void {
    writeLines(event)
    metrics.observe(event)
    const isOther = (event.type === 'catalog' || event.type === 'state') && offer(event.server)
    driveGateway(gateway, event)
    if (event.type === 'state' && isOther) tellAllLists()
  }

  /** False where it offered nothing, and still does not. */
  function offer(name: string): boolean {
    const server = supervisor.find(name)
    const offered = server?.catalog()
    const isEmpty = !offered || CATALOG_KINDS.every((kind) => offered[kind].length === 0)
    catalog.update(name, isEmpty ? undefined : offered, server?.link()?.info().serverInfo.version)
    const hadAny = offering.has(name)
    if (isEmpty) offering.delete(name)
    else offering.add(name)
    return hadAny || !isEmpty
  }

  function tellAllLists(): void {
    for (const kind of LISTS) gateway.changed(kind)
  }

  async function admit(principal: Principal | undefined): Promise<void> {
    await limits.admit(principal)
  }

  function writeDown(entry: AuditEntry): void {
    audit.record(entry)
    metrics.called(entry)
  }

  async function apply(next: ComposerConfig): Promise<ServerChanges> {
    config = next
    const servers = [...inUse(), ...next.servers]
    access.configure(next.authorization)
    limits = createCallLimits(next.authorization)
    catalog.configure(next.tools, servers)
    const changes = await supervisor.apply(servers)
    for (const name of changes.removed) catalog.update(name, undefined)
    for (const { name } of servers) offer(name)
    tellAllLists()
    return changes
  }

  return Object.freeze<ComposerCore>({
    logger,
    logBook,
    metrics,
    supervisor,
    createSupervisor(onEvent) {
      return supervise((event) => {
        writeLines(event)
        onEvent(event)
      })
    },
    catalog,
    calls,
    gateway,
    access,
    config: () => config,
    limit: admit,
    record: writeDown,
    apply,
    async close() {
      gateway.close()
      await supervisor.close()
      await closeAll([
        { close: record.settled },
        { close: remembered.settled },
        { close: pins.flush },
        { close: audit.close },
      ])
    },
  })
}
