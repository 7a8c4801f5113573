import type { Models } from '@quire/agent/models'
import type { LoadedConfig } from '@quire/composer/config/read-config-file'
import { createComposer } from '@quire/composer/create-composer'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { createToken, hashToken } from '@quire/kit/auth/token'
import { closeAll } from '@quire/kit/close-all'
import type { Logger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import type { Redactor } from '@quire/kit/redact'
import type { ShortWay } from '@quire/kit/serve/serve'
import type { Store } from '@quire/kit/store/store'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import { createNotebook, type NotebookDeps } from '@quire/notebook/create-notebook'
import { createRuntime } from '@quire/runtime/create-runtime'
import { createTeams } from '@quire/teams/create-teams'
import { allowedAgentsOf } from '@quire/teams/settings'
import { Hono } from 'hono'
import { environment, type UpConfig } from './config.ts'
import { guardsFor } from './exposure.ts'
import { createFileVerifier, OWNER } from './file-verifier.ts'
import { createHome } from './home/home.ts'
import { createOwnAgents } from './own-agents.ts'
import { createInsideFetch, withOwnToolsets } from './own-toolsets.ts'
import { services } from './services.ts'
import { ensureToken, tokenFile } from './token-file.ts'
import { readVersion } from './version.ts'

export interface Up {
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>
  readonly shortWay: ShortWay | undefined
  readonly access: Access
  /** Starts what runs programs: to be called when the port is ours. */
  start(): Promise<void>
  drain(): Promise<void>
  close(): Promise<void>
}

export interface UpDeps {
  readonly logger: Logger
  readonly redactor: Redactor
  readonly composerConfig: LoadedConfig
  /** What the notebook tools work with; closed with the rest. */
  readonly workbench: NotebookDeps['workbench']
  /** Closed with the rest. */
  readonly store: Store
  readonly models: Models
  /** Beside our own. */
  readonly toolsets: ToolsetsConfig
}

/** How a client gets in. `file` is where the token lies, unless it came from the configuration. */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly token: string; readonly file?: string }

/** All services on one app, behind one token. The outer app has no middleware: each service guards itself, with its own error body. */
export async function createUp(config: UpConfig, deps: UpDeps): Promise<Up> {
  const { logger, redactor, workbench, store } = deps
  const otherAgents = allowedAgentsOf(config)
  const door = createDoor(config, logger)
  const version = readVersion()
  const common = {
    guards: guardsFor(config),
    trustedProxies: config.trustedProxies,
    ...(door.authentication && { authentication: door.authentication }),
  }
  const notebook = createNotebook(
    { version, publicUrl: `${config.publicUrl ?? ''}/notebook`, ...common },
    {
      workbench,
      logger: logger.child({ service: 'notebook' }),
      metrics: createMetrics({ service: 'notebook' }),
    },
  )
  const composer = await createComposer(
    {
      version,
      loaded: deps.composerConfig,
      environment: environment(),
      dataDir: config.dataDir,
      allowedCommands: config.allowCommands,
      apiKeys: [],
      publicUrl: `${config.publicUrl ?? ''}/composer`,
      ...common,
    },
    {
      logger: logger.child({ service: 'composer' }),
      redactor,
      metrics: createMetrics({ service: 'composer' }),
    },
  )
  const outer = new Hono()
  const insideFetch = createInsideFetch(outer.fetch)
  const toolsets = withOwnToolsets(deps.toolsets, OWN_TOOLSETS, door.inside)
  const runtime = await createRuntime(
    {
      version,
      defaultModel: config.model,
      toolsets,
      requiredToolsets: config.requiredToolsets,
      environment: environment(),
      keepConversationsDays: config.keepConversations,
      apiKeys: [],
      isAlwaysOpen: config.insecureNoauth,
      publicUrl: `${config.publicUrl ?? ''}/runtime`,
      ...common,
    },
    {
      store,
      models: deps.models,
      logger: logger.child({ service: 'runtime' }),
      redactor,
      metrics: createMetrics({ service: 'runtime' }),
      fetch: insideFetch,
    },
  )
  const agents = createOwnAgents(config, insideFetch, door.inside)
  const teams = await createTeams(
    {
      version,
      defaultModel: config.model,
      toolsets,
      requiredToolsets: config.requiredToolsets,
      environment: environment(),
      concurrency: config.concurrency,
      allowedAgents: [...agents.allowed, ...otherAgents],
      isAlwaysOpen: config.insecureNoauth,
      autoStart: false,
      publicUrl: `${config.publicUrl ?? ''}/teams`,
      ...common,
    },
    {
      store,
      models: deps.models,
      logger: logger.child({ service: 'teams' }),
      redactor,
      metrics: createMetrics({ service: 'teams' }),
      fetch: agents.fetch,
    },
  )
  const metrics = createMetrics({ service: 'quire', processMetrics: true })
  const home = createHome({ version, services, app: { logger, metrics, ...common } })
  outer
    .mount('/notebook', notebook.app.fetch)
    .mount('/runtime', runtime.fetch)
    .mount('/composer', composer.app.fetch)
    .mount('/teams', teams.app.fetch)
    .mount('/', home.fetch)
  return Object.freeze({
    fetch: outer.fetch,
    shortWay: composer.shortWay('/composer'),
    access: door.access,
    async start() {
      runtime.start()
      teams.start()
      await composer.start()
    },
    async drain() {
      // In this order: tasks may ask the agents, and both may call the tools of the others.
      await teams.drain()
      await runtime.drain()
      await Promise.all([notebook.drain(), composer.drain()])
    },
    close: () => closeAll([teams, runtime, composer, notebook, workbench, store, door]),
  })
}

/** Our agents and members of teams use our own tools without being told how. */
const OWN_TOOLSETS = Object.freeze({ notebook: '/notebook/mcp', composer: '/composer/mcp' })

interface Door {
  readonly access: Access
  readonly authentication?: Authentication
  /** What our services send each other: it never leaves the process, and outlives a rotated token. */
  readonly inside?: string
  close(): void
}

function createDoor(config: UpConfig, logger: Logger): Door {
  const nothingToClose = () => undefined
  if (config.insecureNoauth) return { access: { kind: 'open' }, close: nothingToClose }
  const inside = createToken()
  const { verify: verifyInside } = createKeyRing([{ hash: hashToken(inside), subject: OWNER }])
  const closedBy = (verify: Authentication['verify']) => ({
    inside,
    authentication: { verify: (token: string) => verifyInside(token) ?? verify(token), realm: 'quire' },
  })
  if (config.token !== undefined) {
    const { verify } = createKeyRing([{ hash: hashToken(config.token), subject: OWNER }])
    return { access: { kind: 'token', token: config.token }, ...closedBy(verify), close: nothingToClose }
  }
  const file = tokenFile(config.dataDir)
  const token = ensureToken(file)
  const { verify, close } = createFileVerifier(file, logger)
  return { access: { kind: 'token', token, file }, ...closedBy(verify), close }
}
