import { setTimeout as delay } from 'node:timers/promises'
import type { Models } from '@quire/agent/models'
import { createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import type { Guards } from '@quire/kit/app/outer-guard'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createDoor, type Door } from '@quire/kit/auth/issued-keys/door'
import { createKeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { closeAll } from '@quire/kit/close-all'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import type { Logger } from '@quire/kit/log'
import type { Metrics } from '@quire/kit/metrics'
import { assertKnownOperations } from '@quire/kit/rate-limit/known-operations'
import { createRateLimiter } from '@quire/kit/rate-limit/limiter'
import type { RateLimits } from '@quire/kit/rate-limit/rate-limits'
import type { Redactor } from '@quire/kit/redact'
import type { AnyStore } from '@quire/kit/store/store'
import { createSse } from '@quire/kit/stream/sse'
import type { Environment } from '@quire/mcp/connection/child-environment'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import { createLateToolsets } from '@quire/mcp/toolsets/late-toolsets'
import { createModelTools } from '@quire/mcp/toolsets/model-tools'
import { secretsIn } from '@quire/mcp/toolsets/secrets'
import { createToolsets, type Toolsets, type ToolsetsOptions } from '@quire/mcp/toolsets/toolsets'
import { createAbsentToolsets } from './absent-toolsets.ts'
import { createAgentStore } from './agents/create-agent-store.ts'
import { withToolsetNames } from './agents-with-toolsets.ts'
import { assertRunnable } from './assert-runnable.ts'
import { createConversations } from './conversations/create-conversations.ts'
import { migrateTables } from './conversations/tables.ts'
import { runtimeErrorBody } from './error-body.ts'
import { UI_CAPABILITIES } from './mcp-ui/tool-ui.ts'
import { PROMPT, withPromptLimit } from './operations.ts'
import { startRetention } from './retention.ts'
import { API_DESCRIPTION } from './routes/api-description.ts'
import { mountApi } from './routes/mount-api.ts'
import type { RuntimeParts } from './routes/parts.ts'
import { seedAgents } from './seed.ts'
import { listServers } from './server-listing.ts'
import type { NeedsPerson } from './turns/ask-where-needed.ts'
import { createTurns } from './turns/create-turns.ts'
import { createTurnMetrics } from './turns/turn-metrics.ts'

export interface RuntimeOptions {
  readonly version: string
  /** The model of agents that name none. */
  readonly defaultModel: string
  readonly toolsets: ToolsetsConfig
  readonly requiredToolsets: readonly string[]
  /** Of the programs of toolsets. */
  readonly environment: Environment
  /** Beside the agents with `tool_approval`. */
  readonly needsPerson?: NeedsPerson | undefined
  /** Absent: conversations are kept for ever. */
  readonly keepConversationsDays?: number | undefined
  /** Beside those that were issued. */
  readonly apiKeys: readonly string[]
  /** Whatever keys there are, nobody is asked. */
  readonly isAlwaysOpen: boolean
  readonly rateLimits?: RateLimits | undefined
  /** Absent: a parent application looks at Host and Origin. */
  readonly guards?: Guards
  readonly trustedProxies?: readonly string[]
  /** A parent's: in place of our keys, which then count for nothing. */
  readonly authentication?: Authentication
  /** The address that clients see. */
  readonly publicUrl?: string | undefined
}

export interface RuntimeDeps {
  /** Stays open when the runtime is closed. */
  readonly store: AnyStore
  readonly models: Models
  readonly logger: Logger
  readonly redactor: Redactor
  readonly metrics: Metrics
  /** For toolsets at an address. */
  readonly fetch?: ToolsetsOptions['fetch']
}

export interface Runtime {
  fetch(request: Request, env?: object): Response | Promise<Response>
  /** Nobody is asked for a key. A key that is issued ends that. */
  isOpen(): boolean
  /** Started and closed with the service; another one in this process may use them meanwhile. */
  readonly toolsets: Toolsets
  /** Starts the toolsets, in the background: to be called when the port is ours. */
  start(): void
  /** Ends streams; turns under way may finish, for a while. */
  drain(): Promise<void>
  close(): Promise<void>
}

const TURN_GRACE_MS = 4_000
/** Without a word of progress. A cell of a notebook may well take this long. */
const TOOL_CALL_MS = 5 * 60_000
/** That one caller reads at a time: a backend may read those of all its users with one key. */
const MOST_STREAMS = 1_024
const LAST_FRAMES_MS = 500
const LOOK_EVERY_MS = 10

/** Agents as a service. Runs no program before `start`. */
export async function createRuntime(options: RuntimeOptions, deps: RuntimeDeps): Promise<Runtime> {
  const { version, defaultModel, requiredToolsets } = options
  const { store, models, logger, redactor, metrics } = deps
  for (const secret of secretsIn(options.toolsets)) redactor.add(secret)
  await assertRunnable(options, models)
  await migrateTables(store)
  const agents = createAgentStore(store)
  await seedAgents(store, agents)
  const toolsets = createLateToolsets({
    names: [...options.toolsets.keys()],
    required: requiredToolsets,
    open: () =>
      createToolsets(options.toolsets, {
        clientInfo: { name: 'quire-runtime', version },
        capabilities: UI_CAPABILITIES,
        logger,
        environment: options.environment,
        required: requiredToolsets,
        timeouts: { callMs: TOOL_CALL_MS },
        ...(deps.fetch && { fetch: deps.fetch }),
      }),
  })
  const turns = createTurns({
    store,
    agents: withToolsetNames(agents, toolsets),
    models,
    tools: createModelTools(toolsets, { logger, redactor }),
    absentToolsets: createAbsentToolsets(toolsets, logger),
    needsPerson: options.needsPerson,
    metrics: createTurnMetrics(metrics),
    logger,
  })
  const conversations = createConversations(store, turns)
  const door = await createOwnDoor(options, deps)
  const sse = createSse({ logger, mostReaders: MOST_STREAMS })
  metrics.gauge({
    name: 'runtime_streams_open',
    help: 'Event streams that somebody reads.',
    collect() {
      this.set(sse.size())
    },
  })
  let isStopping = false
  const parts: RuntimeParts = {
    version,
    agents,
    conversations,
    turns,
    models,
    toolsets,
    requiredToolsets,
    needsPerson: options.needsPerson,
    mcpServers: listServers(options.toolsets),
    store,
    sse,
    redactor,
    logger,
    defaultModel,
    publicUrl: options.publicUrl,
    isOpen: () => door?.isOpen() ?? false,
    streamEnd: (principal) => door?.streamEnd(principal),
    isStopping: () => isStopping,
  }
  const rateLimiter =
    options.rateLimits &&
    createRateLimiter({
      limits: withPromptLimit(options.rateLimits),
      ...(store.postgres && { postgres: { database: store.postgres, logger } }),
    })

  function buildApp(authentication: Authentication | undefined): ServiceApp {
    const app = createApp({
      errorBody: runtimeErrorBody,
      publicPatterns: docsPatterns(),
      logger,
      metrics,
      ...(options.guards && { guards: options.guards }),
      ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
      ...(authentication && { authentication }),
      ...(rateLimiter && { rateLimiter }),
    })
    const about = { title: 'Quire runtime', version, description: API_DESCRIPTION }
    mountDocs(app, { ...about, serverUrl: () => options.publicUrl ?? '/' })
    mountMetrics(app, metrics)
    mountApi(app, parts)
    return app
  }

  const closed = buildApp(options.authentication ?? door?.authentication)
  const open = door?.isOpen() ? buildApp(undefined) : undefined
  const { keepConversationsDays: days, rateLimits } = options
  const retention = days === undefined ? undefined : startRetention({ conversations, days, logger })

  async function close(): Promise<void> {
    isStopping = true
    sse.close()
    const turnsAtOnce = { close: () => turns.close(0) }
    await closeAll([turnsAtOnce, toolsets, ...(retention ? [retention] : []), ...(door ? [door] : [])])
  }

  /** A key may be issued at any moment, and from then on one is needed. */
  async function fetchOpen(app: ServiceApp, { isStillOpen }: Door, request: Request, env?: object) {
    return ((await isStillOpen()) ? app : closed).fetch(request, env)
  }

  try {
    if (rateLimits) assertKnownOperations(rateLimits, closed, [PROMPT])
  } catch (error) {
    await close()
    throw error
  }
  return Object.freeze({
    fetch: (request: Request, env?: object) =>
      open && door?.isOpen() ? fetchOpen(open, door, request, env) : closed.fetch(request, env),
    isOpen: () => door?.isOpen() ?? false,
    toolsets,
    start: toolsets.start,
    async drain() {
      isStopping = true
      await turns.close(TURN_GRACE_MS)
      // The last frames are on their way to their readers.
      for (let left = LAST_FRAMES_MS; left > 0 && sse.size() > 0; left -= LOOK_EVERY_MS)
        await delay(LOOK_EVERY_MS)
      sse.close()
      await toolsets.close()
    },
    close,
  })
}

/** None behind a parent's. */
async function createOwnDoor(
  { authentication, apiKeys, isAlwaysOpen }: RuntimeOptions,
  { store, logger }: RuntimeDeps,
): Promise<Door | undefined> {
  if (authentication) return undefined
  const keys = await createKeyStore(store, 'runtime')
  return createDoor(keys, { realm: 'runtime', apiKeys, isAlwaysOpen, logger })
}
