import { createGuide } from '@quire/agent/guide'
import { createModels, type Models } from '@quire/agent/models'
import { createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import type { Guards } from '@quire/kit/app/outer-guard'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createDoor, type Door } from '@quire/kit/auth/issued-keys/door'
import { createKeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { closeAll } from '@quire/kit/close-all'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import type { Logger } from '@quire/kit/log'
import { createMetrics, type Metrics } from '@quire/kit/metrics'
import { assertKnownOperations } from '@quire/kit/rate-limit/known-operations'
import { createRateLimiter } from '@quire/kit/rate-limit/limiter'
import type { RateLimits } from '@quire/kit/rate-limit/rate-limits'
import { createRedactor, type Redactor } from '@quire/kit/redact'
import { type AnyStore, openStore } from '@quire/kit/store/store'
import { createSse } from '@quire/kit/stream/sse'
import type { Environment } from '@quire/mcp/connection/child-environment'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import { createLateToolsets, type LateToolsets } from '@quire/mcp/toolsets/late-toolsets'
import { createModelTools } from '@quire/mcp/toolsets/model-tools'
import { secretsIn } from '@quire/mcp/toolsets/secrets'
import { createToolsets, type Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { Context } from 'hono'
import { assertRunnable } from './assert-runnable.ts'
import { takeCensus } from './census.ts'
import { createEngine } from './engine/create-engine.ts'
import { teamsErrorBody } from './error-body.ts'
import type { AllowedAgents } from './members/agent-address.ts'
import { faultsInDraft } from './members/check-draft.ts'
import { createMembers } from './members/create-members.ts'
import { createSupervisorCalls } from './members/create-supervisor-calls.ts'
import { type RefusesTool, withRefusals } from './members/refused-tools.ts'
import { createRemoteAgents } from './members/remote-agents.ts'
import { mountPrefix } from './mount-prefix.ts'
import { API_DESCRIPTION } from './routes/api-description.ts'
import { mountApi } from './routes/mount-api.ts'
import type { TeamsParts } from './routes/parts.ts'
import { seedTeam } from './seed.ts'
import type { TeamDraft } from './team.ts'
import { addTeamsMetrics, withDurations } from './teams-metrics.ts'

/** All of it can be left out. */
export interface TeamsOptions {
  /** Of the application, as it is shown. */
  readonly version?: string | undefined
  /** The model of members that name none; `builtin:guide`, which needs no key, by default. */
  readonly defaultModel?: string | undefined
  readonly toolsets?: ToolsetsConfig | undefined
  readonly requiredToolsets?: readonly string[] | undefined
  /** Where keys of models are, and what the programs of toolsets inherit. */
  readonly environment?: Environment | undefined
  /** `sqlite:PATH` or `postgres://…`, where no store is given. Absent: in memory, and gone with the process. */
  readonly database?: string | undefined
  /** For a database that has never had a team. */
  readonly firstTeam?: TeamDraft | undefined
  /** Tasks that this process works on at the same time. */
  readonly concurrency?: number | undefined
  /** Why a tool, by the name that models call it by, is not called for members: nobody can be asked for them. */
  readonly refusesTool?: RefusesTool | undefined
  /** Where members may be agents of a runtime. */
  readonly allowedAgents?: readonly AllowedAgents[] | undefined
  /** Beside those that were issued. */
  readonly apiKeys?: readonly string[] | undefined
  /** Whatever keys there are, nobody is asked. */
  readonly isAlwaysOpen?: boolean | undefined
  readonly rateLimits?: RateLimits | undefined
  /** Absent: a parent application looks at Host and Origin. */
  readonly guards?: Guards | undefined
  readonly trustedProxies?: readonly string[] | undefined
  /** A parent's: in place of our keys, which then count for nothing. */
  readonly authentication?: Authentication | undefined
  /** The address that clients see, with the prefix. Absent: the one that they ask. */
  readonly publicUrl?: string | undefined
  /** False: nothing is begun before `start` is called. */
  readonly autoStart?: boolean | undefined
}

export interface TeamsDeps {
  /** Stays open when the service is closed. */
  readonly store: AnyStore
  readonly models: Models
  readonly logger: Logger
  readonly redactor: Redactor
  readonly metrics: Metrics
  /** For toolsets and agents at an address. */
  readonly fetch: typeof fetch
  /** Opened from the same configuration by somebody who also starts and closes them. */
  readonly toolsets: Toolsets
}

export interface TeamsService {
  /** To be mounted, or served. */
  readonly app: { fetch(request: Request, env?: object): Response | Promise<Response> }
  /** Nobody is asked for a key. A key that is issued ends that. */
  isOpen(): boolean
  /** Starts the programs of toolsets, and the work on tasks. Idempotent. */
  start(): void
  /** Takes up no more tasks; those under way may finish, for a while. Ends streams. */
  drain(): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}

const TASK_GRACE_MS = 4_000
/** Streams of one caller: everybody is the same one where nobody is asked for a key. */
const MOST_READERS = 10_000
/** Without a word of progress. A cell of a notebook may well take this long. */
const TOOL_CALL_MS = 5 * 60_000

/** Teams of agents as a service. */
export async function createTeams(
  options: TeamsOptions = {},
  deps: Partial<TeamsDeps> = {},
): Promise<TeamsService> {
  const logger = deps.logger ?? createLazyLogger({ level: 'silent', pretty: false })
  const store = deps.store ?? (await openStore(options.database ?? 'sqlite::memory:', { logger }))
  const held: Closable[] = deps.store ? [] : [store]
  const all: Deps = {
    store,
    models: deps.models ?? createModels({ environment: options.environment ?? {}, guide: createGuide() }),
    logger,
    redactor: deps.redactor ?? createRedactor(),
    metrics: deps.metrics ?? createMetrics({ service: 'teams' }),
    ...(deps.fetch && { fetch: deps.fetch }),
    ...(deps.toolsets && { toolsets: deps.toolsets }),
  }
  try {
    return await build(options, all, held)
  } catch (error) {
    await closeAll(held.toReversed())
    throw error
  }
}

type Optional = 'fetch' | 'toolsets'
type Deps = Omit<TeamsDeps, Optional> & Partial<Pick<TeamsDeps, Optional>>

interface Closable {
  close(): void | Promise<void>
}

/** What it opens it adds to `held`, which is closed from the end. */
async function build(options: TeamsOptions, deps: Deps, held: Closable[]): Promise<TeamsService> {
  const { version = '0.0.0', defaultModel = 'builtin:guide', requiredToolsets = [] } = options
  const { allowedAgents = [], toolsets: config = new Map() } = options
  const { store, models, logger, redactor, metrics } = deps
  for (const secret of secretsIn(config)) redactor.add(secret)
  for (const { key } of allowedAgents) if (key !== undefined) redactor.add(key)
  await assertRunnable({ defaultModel, toolsets: config, requiredToolsets }, models)
  const agents = createRemoteAgents({
    allowed: allowedAgents,
    logger,
    ...(deps.fetch && { fetch: deps.fetch }),
  })
  const door = await createOwnDoor(options, deps)
  if (door) held.push(door)
  const toolsets = deps.toolsets ? borrow(deps.toolsets) : openLater(config, version, options, deps)
  held.push(toolsets)
  const tools = withRefusals(createModelTools(toolsets, { logger, redactor }), options.refusesTool)
  const engine = await createEngine({
    store,
    members: withDurations(createMembers({ models, tools, agents, logger }), metrics),
    supervisor: createSupervisorCalls({ models, agents, logger }),
    logger,
    concurrency: options.concurrency,
  })
  held.push(engine)
  if (options.firstTeam) await seedTeam(store, engine.teams, options.firstTeam)
  const sse = createSse({ logger, mostReaders: MOST_READERS })
  addTeamsMetrics(metrics, { census: () => takeCensus(store), sse, logger })
  let isStarted = false
  let isStopping = false
  let closing: Promise<void> | undefined
  const parts: TeamsParts = {
    version,
    teams: engine.teams,
    faultsIn: (draft) => faultsInDraft(draft, { models, toolsetNames: toolsets.names, agents }),
    defaultModel,
    toolsets,
    requiredToolsets,
    store,
    sse,
    logger,
    publicUrl: options.publicUrl,
    streamEnd: (principal) => door?.streamEnd(principal),
    isStopping: () => isStopping,
  }
  const rateLimiter =
    options.rateLimits &&
    createRateLimiter({
      limits: options.rateLimits,
      ...(store.postgres && { postgres: { database: store.postgres, logger } }),
    })

  function buildApp(authentication: Authentication | undefined): ServiceApp {
    const app = createApp({
      errorBody: teamsErrorBody,
      publicPatterns: docsPatterns(),
      logger,
      metrics,
      ...(options.guards && { guards: options.guards }),
      ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
      ...(authentication && { authentication }),
      ...(rateLimiter && { rateLimiter }),
    })
    // Where nothing is known of a prefix, relative to the document itself: that is right behind every proxy.
    const serverUrl = (c: Context<ServiceEnv>) => options.publicUrl ?? (mountPrefix(c) || './')
    mountDocs(app, { title: 'Quire teams', version, description: API_DESCRIPTION, serverUrl })
    mountMetrics(app, metrics)
    mountApi(app, { ...parts, authentication })
    return app
  }

  const closed = buildApp(options.authentication ?? door?.authentication)
  const open = door?.isOpen() ? buildApp(undefined) : undefined
  if (options.rateLimits) assertKnownOperations(options.rateLimits, closed)

  /** A key may be issued at any moment, and from then on one is needed. */
  async function fetchOpen(app: ServiceApp, { isStillOpen }: Door, request: Request, env?: object) {
    return ((await isStillOpen()) ? app : closed).fetch(request, env)
  }

  function start(): void {
    if (isStarted || isStopping) return
    isStarted = true
    toolsets.start()
    engine.start()
  }

  if (options.autoStart !== false) start()
  return Object.freeze({
    app: Object.freeze({
      fetch: (request: Request, env?: object) =>
        open && door?.isOpen() ? fetchOpen(open, door, request, env) : closed.fetch(request, env),
    }),
    isOpen: () => door?.isOpen() ?? false,
    start,
    async drain() {
      isStopping = true
      await engine.drain(TASK_GRACE_MS)
      sse.close()
      await toolsets.close()
    },
    close() {
      isStopping = true
      sse.close()
      closing ??= closeAll(held.toReversed())
      return closing
    },
  })
}

function borrow(toolsets: Toolsets): LateToolsets {
  return { ...toolsets, start: () => undefined, close: async () => undefined }
}

function openLater(
  config: ToolsetsConfig,
  version: string,
  { requiredToolsets = [], environment = {} }: TeamsOptions,
  { logger, fetch }: Deps,
): LateToolsets {
  return createLateToolsets({
    names: [...config.keys()],
    required: requiredToolsets,
    open: () =>
      createToolsets(config, {
        clientInfo: { name: 'quire-teams', version },
        logger,
        environment,
        required: requiredToolsets,
        timeouts: { callMs: TOOL_CALL_MS },
        ...(fetch && { fetch }),
      }),
  })
}

/** None behind a parent's. */
async function createOwnDoor(
  { authentication, apiKeys = [], isAlwaysOpen = false }: TeamsOptions,
  { store, logger }: Deps,
): Promise<Door | undefined> {
  if (authentication) return undefined
  const keys = await createKeyStore(store, 'teams')
  return createDoor(keys, { realm: 'teams', apiKeys, isAlwaysOpen, logger })
}
