import { createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import type { Guards } from '@quire/kit/app/outer-guard'
import { mountResourceMetadata, type ProtectedResource } from '@quire/kit/app/resource-metadata'
import type { Authentication } from '@quire/kit/auth/bearer'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import type { Logger } from '@quire/kit/log'
import type { Metrics } from '@quire/kit/metrics'
import { createMcpEndpoint } from '@quire/mcp/serving/endpoint'
import { mountMcp } from '@quire/mcp/serving/mount'
import { mountLive } from './live-route/mount-live.ts'
import { createCallsInFlight } from './routes/calls-in-flight.ts'
import { notebookErrorBody } from './routes/error-body.ts'
import { mountManagement } from './routes/management.ts'
import type { Workbench } from './workbench/workbench.ts'

/** How the service is reached over HTTP. */
export interface NotebookHttpConfig {
  readonly version: string
  /** Absent: a parent application looks at Host and Origin. */
  readonly guards?: Guards
  readonly trustedProxies?: readonly string[]
  /** Absent: nobody is asked for a token. */
  readonly authentication?: Authentication
  /** Where tokens come from, for a client that has none: only with an authorization server. */
  readonly protectedResource?: ProtectedResource
  /** The routes by which a local program steers the standalone server; absent where this is a part of something else. */
  readonly management?: { readonly allowTokenInUrl: boolean }
  /** The address that clients see. */
  readonly publicUrl?: string
}

export interface NotebookDeps {
  /** Stays its owner's to close. */
  readonly workbench: Workbench
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface Notebook {
  readonly app: ServiceApp
  drain(): Promise<void>
  close(): Promise<void>
}

const MCP_PATH = '/mcp'
/** Less than a listener's own grace: sessions are to be told goodbye before their connections are cut. */
const CALL_GRACE_MS = 4_000
/** A cancelled execution waits for what its kernel still says. */
const CANCEL_GRACE_MS = 5_000

/** The tools at `/mcp`, the rooms of notebooks at `/live/`, and what belongs beside them. */
export function createNotebook(config: NotebookHttpConfig, deps: NotebookDeps): Notebook {
  const { workbench, logger, metrics } = deps
  const { guards, trustedProxies, authentication, protectedResource, management } = config
  const app = createApp({
    errorBody: notebookErrorBody,
    validationStatus: 400,
    publicPatterns: docsPatterns(),
    logger,
    metrics,
    ...(guards && { guards }),
    ...(trustedProxies && { trustedProxies }),
    ...(authentication && { authentication }),
  })
  mountDocs(app, {
    title: 'Quire notebook tools',
    version: config.version,
    description:
      'Beside these routes, `/mcp` speaks the Model Context Protocol, and `/live/{path}` is a WebSocket into the room of a notebook (y-protocols, as y-websocket speaks them).',
    serverUrl: () => config.publicUrl ?? '/',
  })
  mountMetrics(app, metrics)
  if (management) mountManagement(app, { workbench, logger, ...management })
  if (protectedResource) mountResourceMetadata(app, protectedResource)

  const endpoint = createMcpEndpoint(workbench.createServer, { logger })
  const calls = createCallsInFlight()
  app.use(`${MCP_PATH}/*`, async (c, next) => {
    const answer = c.env?.outgoing
    if (answer && c.req.method === 'POST') calls.track(await c.req.text(), answer)
    await next()
  })
  mountMcp(app, MCP_PATH, endpoint, { scopeFor: workbench.scopeFor, authentication })
  workbench.tellChangesTo(endpoint.notify)
  const live = mountLive(app, { openRoom: workbench.openRoom, authentication, logger })

  return Object.freeze({
    app,
    async drain() {
      live.close()
      await calls.settled(CALL_GRACE_MS)
      workbench.cancelCalls()
      await calls.settled(CANCEL_GRACE_MS)
      await endpoint.close()
    },
    async close() {
      live.close()
      await endpoint.close()
    },
  })
}
