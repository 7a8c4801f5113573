import { createGuide } from '@quire/agent/guide'
import { createModels } from '@quire/agent/models'
import { createApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import { createFailureThrottle } from '@quire/kit/auth/failure-throttle'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { serve } from '@quire/kit/serve/serve'
import { openStore } from '@quire/kit/store/store'
import { createSse } from '@quire/kit/stream/sse'
import { createLateToolsets } from '@quire/mcp/toolsets/late-toolsets'
import type { ToolsetStatus } from '@quire/mcp/toolsets/toolsets'
import { createAgentStore } from '../agents/create-agent-store.ts'
import { migrateTables } from '../conversations/tables.ts'
import { runtimeErrorBody } from '../error-body.ts'
import { SCOPES } from '../scopes.ts'
import { mountApi } from './mount-api.ts'
import type { RuntimeParts } from './parts.ts'
import { createScriptedTurns } from './scripted-turns.fixture.ts'

/** Has all scopes. */
export const TOKEN = 'full-access-0123456789abcdef'
/** Has all scopes, and is another's. */
export const OTHER = 'other-access-0123456789abcde'
/** Has none. */
export const POWERLESS = 'no-access-0123456789abcdef01'
/** Has this one alone. */
export const tokenFor = (scope: string) => `${scope.replace(':', '-')}-0123456789abcdef`
/** Known to the redactor. */
export const SECRET = 'the-known-secret-of-a-server'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  readonly body: any
}

export interface ApiOptions {
  readonly heartbeatMs?: number
  readonly mostReaders?: number
  readonly publicUrl?: string
}

/** The whole API on a real port, with agents in a real database, and turns that the test plays. */
export async function startApi({ heartbeatMs = 15_000, mostReaders = 1_000, publicUrl }: ApiOptions = {}) {
  const store = await openStore('sqlite::memory:')
  await migrateTables(store)
  const agents = createAgentStore(store)
  const scripted = createScriptedTurns()
  const log: string[] = []
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => log.push(line) },
  })
  const sse = createSse({ logger, heartbeatMs, mostReaders })
  const servers: Record<string, ToolsetStatus> = {}
  const state = { isStoreUp: true, isStopping: false, initialized: true }
  const toolsets = createFixtureToolsets(servers, state)
  const opened = new AbortController()
  const parts: RuntimeParts = {
    version: '1.2.3',
    agents,
    conversations: scripted.conversations,
    turns: scripted.port,
    models: createModels({ environment: { OPENAI_API_KEY: 'sk-canary' }, guide: createGuide() }),
    toolsets,
    requiredToolsets: ['files'],
    mcpServers: [{ name: 'files', transport: 'stdio', command: 'node', env: ['TOKEN'] }],
    store: {
      async ping() {
        if (!state.isStoreUp) throw new Error('down')
      },
    },
    sse,
    redactor: createRedactor({ secrets: [SECRET] }),
    logger,
    defaultModel: 'builtin:guide',
    publicUrl,
    isOpen: () => false,
    streamEnd: () => opened.signal,
    isStopping: () => state.isStopping,
  }
  const keys = [
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(OTHER), subject: 'bob' },
    { hash: hashToken(POWERLESS), subject: 'nobody', scopes: [] },
    ...SCOPES.map((scope) => ({ hash: hashToken(tokenFor(scope)), subject: scope, scopes: [scope] })),
  ]
  const ring = createKeyRing(keys)
  const metrics = createMetrics({ service: 'runtime' })
  const app = createApp({
    errorBody: runtimeErrorBody,
    publicPatterns: docsPatterns(),
    guards: {},
    authentication: {
      realm: 'runtime',
      verify: ring.verify,
      throttle: createFailureThrottle({ failures: 10_000 }),
    },
    logger,
    metrics,
  })
  mountDocs(app, { title: 'runtime', version: '1.2.3', serverUrl: () => '/' })
  mountMetrics(app, metrics)
  mountApi(app, parts)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })

  async function call(
    method: string,
    path: string,
    body?: unknown,
    as: string | null = TOKEN,
  ): Promise<Answer> {
    const response = await fetch(`${listening.url}${path}`, {
      method,
      headers: {
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    app,
    agents,
    call,
    log,
    servers,
    sse,
    ...scripted,
    state,
    script: scripted.state,
    url: listening.url,
    port: listening.port,
    revoke: (token: string) => ring.replace(keys.filter(({ hash }) => hash !== hashToken(token))),
    async close() {
      sse.close()
      await listening.close(0)
      await store.close()
    },
  }
}

function createFixtureToolsets(
  servers: Record<string, ToolsetStatus>,
  state: { readonly initialized: boolean },
): RuntimeParts['toolsets'] {
  const inputSchema = { type: 'object' as const, properties: { path: { type: 'string' } } }
  return {
    ...createLateToolsets({
      names: ['files', 'web'],
      required: [],
      open: () => {
        throw new Error('nothing is started here')
      },
    }),
    status: () => ({ initialized: state.initialized, servers }),
    tools: () =>
      servers.files?.ready
        ? [
            { toolset: 'files', name: 'read', tool: { name: 'read', description: 'Reads.', inputSchema } },
            {
              toolset: 'files',
              name: 'browse',
              tool: { name: 'browse', inputSchema, _meta: { ui: { resourceUri: 'ui://files/browser' } } },
            },
          ]
        : [],
  }
}
