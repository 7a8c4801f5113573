import { dirname, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type AppOptions, createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import type { Guards } from '@quire/kit/app/outer-guard'
import { mountResourceMetadata } from '@quire/kit/app/resource-metadata'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { createShortWay } from '@quire/kit/app/short-way'
import type { Authentication } from '@quire/kit/auth/bearer'
import { closeAll } from '@quire/kit/close-all'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import type { ShortWay } from '@quire/kit/serve/serve'
import { createWebSocketStreams } from '@quire/kit/stream/websocket-route'
import { mountUi, toPrefix, uiPatterns } from '@quire/kit/ui/mount-ui'
import type { UiFiles } from '@quire/kit/ui/ui-files'
import type { Environment } from '@quire/mcp/connection/child-environment'
import type { Context } from 'hono'
import type { BuiltIn } from './built-in.ts'
import { createArgumentCheck } from './catalog/validate-arguments.ts'
import { type CoreDeps, createComposerCore } from './composer-core.ts'
import type { ComposerConfig } from './config/config.ts'
import { isKnownCommand } from './config/foreign-commands.ts'
import type { LoadedConfig } from './config/read-config-file.ts'
import { createConfiguration } from './configuration.ts'
import { createDoor } from './door.ts'
import type { IncomingMessage } from './front/front-options.ts'
import { createHttpFront } from './front/http-front.ts'
import { mountFront, shortRouteTo } from './front/mount-front.ts'
import { createSseFront } from './front/sse-front.ts'
import { type StdioFront, type StdioFrontOptions, serveStdioFront } from './front/stdio-front.ts'
import { createPatientGateway } from './gateway/patient-gateway.ts'
import { keepSecrets } from './keep-secrets.ts'
import { needsRestart } from './needs-restart.ts'
import { describeEndpoints } from './routes/describe-endpoints.ts'
import { composerErrorBody } from './routes/error-body.ts'
import { mountApi } from './routes/mount-api.ts'
import { scopeFor } from './scope-for.ts'
import { createTranslators } from './translators/translators.ts'

export interface ComposerOptions {
  readonly version: string
  readonly loaded: LoadedConfig
  /** For the variables of the file and for the programs that are started. */
  readonly environment: Environment
  readonly dataDir: string
  /** Programs that the API may bring in; what stands in the file may be run anyway. */
  readonly allowedCommands: readonly string[]
  /** Beside those of the file. */
  readonly apiKeys: readonly string[]
  /** Absent: a parent application looks at Host and Origin. */
  readonly guards?: Guards
  readonly trustedProxies?: readonly string[]
  /** A parent's, in place of what the file says. */
  readonly authentication?: Authentication
  /** The address that clients see. */
  readonly publicUrl?: string
  /** Servers that are parts of the program around the composer. */
  readonly builtIn?: BuiltIn
  /** The pages of the web UI. Absent: there are none. */
  readonly ui?: UiFiles
}

export interface StdioPipe extends Omit<StdioFrontOptions, 'logger'> {
  /** Until then lists are not answered. */
  readonly ready: Promise<unknown>
}

export interface Composer {
  readonly app: ServiceApp
  /** For whoever listens: calls of tools need not go through the app, which is mounted at `prefix`. */
  shortWay(prefix?: string): ShortWay | undefined
  /** Nobody is asked for a key. */
  readonly isOpen: boolean
  config(): ComposerConfig
  /** Starts the servers: to be called when the port is ours. */
  start(): Promise<void>
  /** Every server that is starting has come to run, or has failed, or the time is over. */
  settled(withinMs?: number): Promise<void>
  /** Serves one client over a pipe. */
  serveStdio(pipe: StdioPipe): StdioFront
  /** Ends streams; calls under way may finish, for a while. */
  drain(): Promise<void>
  close(): Promise<void>
}

const DESCRIPTION = 'Beside these routes, `/mcp` speaks the Model Context Protocol.'
/** Less than a listener's own grace: clients are to be answered before their connections are cut. */
const CALL_GRACE_MS = 4_000

/** Many MCP servers, offered as one. Starts nothing by itself. */
export async function createComposer(options: ComposerOptions, deps: CoreDeps): Promise<Composer> {
  const { loaded, version } = options
  const { redactor } = deps
  const door = await createDoor(loaded.config, options)
  const core = await createComposerCore({ ...options, config: loaded.config }, deps)
  const { logger, supervisor, catalog, calls, gateway } = core
  const { api, transport, monitoring, ui } = loaded.config
  const uiFiles = ui.enabled ? options.ui : undefined
  const startedAt = performance.now()
  let isApplied = false

  const fronts = { mcp: createHttpFront(gateway, { logger }), sse: createSseFront(gateway, { logger }) }
  const streams = createWebSocketStreams({ logger })
  const translators = createTranslators({
    createSupervisor: core.createSupervisor,
    calls,
    logger,
    redactor,
    limit: core.limit,
    onCall: core.record,
    frontsFor: (single) => ({
      mcp: createHttpFront(single, { logger }),
      sse: createSseFront(single, { logger }),
    }),
    folder: dirname(loaded.path),
    allowCommand: (run) =>
      isKnownCommand({ server: '', ...run }, { present: core.config(), allowed: options.allowedCommands }),
    publicUrl: () => options.publicUrl ?? '',
  })
  const configuration = createConfiguration({
    loaded,
    environment: options.environment,
    allowedCommands: options.allowedCommands,
    assertFits: door.assertFits,
    async apply(config) {
      await door.configure(config)
      keepSecrets(config, redactor)
      return core.apply(config)
    },
    needsRestart: (config) => needsRestart(loaded.config, config),
    onApplied(isApplied, places) {
      core.metrics.reloaded(isApplied)
      if (places.length > 0)
        logger.warn({ places }, 'the configuration has changes that take effect at the next start')
      else if (isApplied) logger.info('the configuration was applied')
    },
  })

  const appOptions: AppOptions = {
    errorBody: composerErrorBody,
    validationStatus: 400,
    publicPatterns: [...(api.docs ? docsPatterns() : []), ...(uiFiles ? uiPatterns(ui.path) : [])],
    logger,
    metrics: core.metrics.http,
    ...(options.guards && { guards: options.guards }),
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
    ...(door.authentication && { authentication: door.authentication }),
  }
  const app = createApp(appOptions)
  if (api.docs)
    mountDocs(app, {
      title: 'Quire composer',
      version,
      description: DESCRIPTION,
      serverUrl: () => options.publicUrl ?? '/',
    })
  if (uiFiles) {
    const prefix = toPrefix(options.publicUrl)
    const served = { version, services: { composer: prefix }, composerApi: api.pathPrefix }
    mountUi(app, { files: uiFiles, path: ui.path, prefix, served })
  }
  if (monitoring.metrics.enabled) mountMetrics(app, core.metrics.http, monitoring.metrics.path)
  if (api.enabled)
    mountApi(app, api.pathPrefix, {
      version,
      supervisor,
      catalog,
      calls,
      config: configuration,
      translators,
      logBook: core.logBook,
      metrics: core.metrics,
      streams,
      redactor,
      viewOf: core.access.viewOf,
      limit: core.limit,
      checkArguments: createArgumentCheck({ logger }),
      record: core.record,
      isReady: () => isApplied,
      uptimeSeconds: () => (performance.now() - startedAt) / 1000,
      conflictResolution: () => core.config().tools.strategy,
    })
  const access = { scopeFor, authentication: door.authentication }
  const { streamableHttp, sse } = transport
  if (streamableHttp.enabled) mountFront(app, streamableHttp.path, fronts.mcp, access)
  if (sse.enabled) {
    mountFront(app, sse.path, fronts.sse, access)
    mountFront(app, posix.join(sse.path, '..', 'messages'), fronts.sse, access)
  }
  if (door.protectedResource) mountResourceMetadata(app, door.protectedResource)
  describeEndpoints(app, {
    ...(monitoring.metrics.enabled && { metrics: monitoring.metrics.path }),
    ...(streamableHttp.enabled && { mcp: streamableHttp.path }),
    ...(sse.enabled && { sse: { stream: sse.path, messages: posix.join(sse.path, '..', 'messages') } }),
  })
  const ofTranslator = (kind: 'mcp' | 'sse') => (c: Context<ServiceEnv>) =>
    translators.fronts(c.req.param('id') ?? '')[kind]
  const forTranslators = { ...access, scopeFor: scopeOfTranslators }
  mountFront(app, '/translators/:id/mcp', ofTranslator('mcp'), forTranslators)
  mountFront(app, '/translators/:id/sse', ofTranslator('sse'), forTranslators)
  mountFront(app, '/translators/:id/messages', ofTranslator('sse'), forTranslators)

  /** Roles name the tools of configured servers; a translator's have none there, so where roles count they are for those who make translators. */
  function scopeOfTranslators(message: IncomingMessage): readonly string[] {
    return core.config().authorization.enabled ? ['servers:manage', ...scopeFor(message)] : scopeFor(message)
  }

  return Object.freeze({
    app,
    shortWay(prefix = '') {
      const { path, enabled } = streamableHttp
      return enabled
        ? createShortWay(appOptions, shortRouteTo(fronts.mcp, { path, prefix, scopeFor }))
        : undefined
    },
    isOpen: door.authentication === undefined,
    config: core.config,
    async start() {
      keepSecrets(loaded.config, redactor)
      await core.apply(loaded.config)
      isApplied = true
    },
    async settled(withinMs = Number.POSITIVE_INFINITY) {
      const starting = supervisor.servers().filter((server) => server.status().state === 'starting')
      await Promise.allSettled(
        starting.map(({ use, definition: { readyMs } }) =>
          use(AbortSignal.timeout(Math.min(readyMs, withinMs))),
        ),
      )
    },
    serveStdio: ({ ready, ...pipe }: StdioPipe) =>
      serveStdioFront(createPatientGateway(gateway, ready), { ...pipe, logger }),
    async drain() {
      await calls.drain(CALL_GRACE_MS)
      // The last answers are on their way to the streams that end now.
      await setImmediate()
      streams.close()
      await closeAll([fronts.mcp, fronts.sse, translators])
    },
    async close() {
      streams.close()
      await closeAll([core, translators, fronts.mcp, fronts.sse])
    },
  })
}
