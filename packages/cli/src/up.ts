import type { Models } from '@quire/agent/models'
import type { LoadedConfig } from '@quire/composer/config/read-config-file'
import { createComposer } from '@quire/composer/create-composer'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { closeAll } from '@quire/kit/close-all'
import type { Logger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import type { Redactor } from '@quire/kit/redact'
import type { ShortWay } from '@quire/kit/serve/serve'
import type { Store } from '@quire/kit/store/store'
import type { UiFiles } from '@quire/kit/ui/ui-files'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import { createNotebook, type NotebookDeps } from '@quire/notebook/create-notebook'
import { createRuntime } from '@quire/runtime/create-runtime'
import { createTeams } from '@quire/teams/create-teams'
import { allowedAgentsOf } from '@quire/teams/settings'
import type { TeamDraft } from '@quire/teams/team'
import { Hono } from 'hono'
import { environment, type UpConfig } from './config.ts'
import { guardsFor } from './exposure.ts'
import { createFileVerifier, OWNER } from './file-verifier.ts'
import { createHome } from './home.ts'
import type { OpenWorkbench } from './notebook-server/open-workbench.ts'
import { createOwnAgents } from './own-agents.ts'
import { createInsideFetch, OURSELVES, withOwnToolsets } from './own-toolsets.ts'
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
  /** That the workbench works on: closed after it. */
  readonly notebookServer: Pick<OpenWorkbench['notebookServer'], 'close'>
  readonly needsPerson: OpenWorkbench['needsPerson']
  /** Closed with the rest. */
  readonly store: Store
  readonly models: Models
  /** Beside our own. */
  readonly toolsets: ToolsetsConfig
  /** The web pages, where they are built. */
  readonly ui?: UiFiles | undefined
}

/** How a client gets in. `file` is where the token lies, unless it came from the configuration. */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly token: string; readonly file?: string }

/** All services on one app, behind one token. The outer app has no middleware: each service guards itself, with its own error body. */
export async function createUp(config: UpConfig, deps: UpDeps): Promise<Up> {
  const { logger, redactor, workbench, notebookServer, needsPerson, store } = deps
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
      builtIn: {
        servers: [{ name: 'notebook', createServer: () => workbench.createServer(OF_THE_COMPOSER) }],
        // Agents and members have the notebook tools as a toolset of their own, and are asked there before code runs.
        isHiddenFrom: (principal) => principal === OURSELVES,
      },
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
  const toolsets = withOwnToolsets(deps.toolsets, OWN_TOOLSETS)
  const runtime = await createRuntime(
    {
      version,
      defaultModel: config.model,
      toolsets,
      requiredToolsets: config.requiredToolsets,
      environment: environment(),
      needsPerson,
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
  const agents = createOwnAgents(config, insideFetch)
  const teams = await createTeams(
    {
      version,
      defaultModel: config.model,
      toolsets,
      requiredToolsets: config.requiredToolsets,
      environment: environment(),
      concurrency: config.concurrency,
      firstTeam: FIRST_TEAM,
      refusesTool: (name) => (needsPerson(name) ? REFUSED_TO_MEMBERS : undefined),
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
      // Their programs run once.
      toolsets: runtime.toolsets,
    },
  )
  const metrics = createMetrics({ service: 'quire', processMetrics: true })
  const home = createHome({
    version,
    ui: deps.ui,
    publicUrl: config.publicUrl,
    app: { logger, metrics, ...common },
  })
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
    close: () => closeAll([teams, runtime, composer, notebook, workbench, notebookServer, store, door]),
  })
}

/** Needs no key, and can be started at once. */
const FIRST_TEAM: TeamDraft = Object.freeze({
  name: 'First team',
  description:
    'Two members that follow rules and need no key. Start it, and give it a task such as: create a notebook team.ipynb, then insert and run a cell: 6 * 7',
  executionMode: 'parallel',
  members: ['Ada', 'Bob'].map((name) => ({
    name,
    model: 'builtin:guide',
    systemPrompt: '',
    mcpToolsets: ['notebook'],
  })),
})

/** One for all clients of the composer, who are admitted there. */
const OF_THE_COMPOSER = Object.freeze({ era: 'legacy', principal: undefined } as const)

/** Our agents and members of teams use our own tools without being told how. */
const OWN_TOOLSETS = Object.freeze({ notebook: '/notebook/mcp', composer: '/composer/mcp' })

/** Of a task that runs by itself nobody can be asked. */
const REFUSED_TO_MEMBERS =
  'This call was not made: it would run code on the machine of Quire itself, which members of teams may not do. Say so in your result. Whoever runs Quire can allow it with --allow-host-execution, or use the embedded notebook server.'

interface Door {
  readonly access: Access
  readonly authentication?: Authentication
  close(): void
}

function createDoor(config: UpConfig, logger: Logger): Door {
  const nothingToClose = () => undefined
  if (config.insecureNoauth) return { access: { kind: 'open' }, close: nothingToClose }
  const closedBy = (verify: Authentication['verify']) => ({ authentication: { verify, realm: 'quire' } })
  if (config.token !== undefined) {
    const { verify } = createKeyRing([{ hash: hashToken(config.token), subject: OWNER }])
    return { access: { kind: 'token', token: config.token }, ...closedBy(verify), close: nothingToClose }
  }
  const file = tokenFile(config.dataDir)
  const token = ensureToken(file)
  const { verify, close } = createFileVerifier(file, logger)
  return { access: { kind: 'token', token, file }, ...closedBy(verify), close }
}
