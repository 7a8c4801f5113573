import { createApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import { createFailureThrottle } from '@quire/kit/auth/failure-throttle'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import { CallerError, type FieldError } from '@quire/kit/errors'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { serve } from '@quire/kit/serve/serve'
import { createWebSocketStreams } from '@quire/kit/stream/websocket-route'
import type { AccessView } from '../access/access.ts'
import type { AuditEntry } from '../audit/audit.ts'
import { createComposedCatalog } from '../catalog/create-composed-catalog.ts'
import { createLogBook } from '../logs/create-log-book.ts'
import { createComposerMetrics } from '../metrics/composer-metrics.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import { SCOPES } from '../scopes.ts'
import { createFixtureConfig, createFixtureTranslators } from './capabilities.fixture.ts'
import { composerErrorBody } from './error-body.ts'
import { mountApi } from './mount-api.ts'
import type { ComposerParts } from './parts.ts'
import { common, createFixtureServer, stdio, tool } from './server.fixture.ts'

/** Has all scopes. */
export const TOKEN = 'full-access-0123456789abcdef'
/** Has none. */
export const POWERLESS = 'no-access-0123456789abcdef01'
/** Has this one alone. */
export const tokenFor = (scope: string) => `${scope.replace(':', '-')}-0123456789abcdef`
/** Known to the redactor. */
export const SECRET = 'the-known-secret-of-a-server'

interface Sent {
  readonly server: string
  readonly method: string
  readonly params: Params
  readonly asker: Asker
}

/** The whole API on a real port, in front of servers without processes. */
export async function startApi(options: { prefix?: string } = {}) {
  const { prefix = '/api/v1' } = options
  const redactor = createRedactor({ secrets: [SECRET] })
  const log: string[] = []
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => log.push(line) },
  })
  const catalog = createComposedCatalog()
  const servers = createServers(catalog.update)
  const all = Object.values(servers)
  catalog.configure(
    {
      strategy: 'prefix',
      overrides: [],
      template: '{server_name}_{tool_name}',
      aliases: { plus: 'alpha:add' },
      versioning: { enabled: false, allowMultiple: false, suffix: '_v{version}' },
      mode: 'full',
    },
    all.map(({ definition }) => definition),
  )
  servers.alpha.become('running')
  servers.beta.become('running')

  const state = {
    isReady: true,
    isLimited: false,
    view: undefined as AccessView | undefined,
    faults: [] as FieldError[],
    answer: (_sent: Sent): Reply | Promise<Reply> => ({ result: Buffer.from('{"content":[]}') }),
  }
  const sent: Sent[] = []
  const recorded: AuditEntry[] = []
  const logBook = createLogBook({ redactor })
  const metrics = createMetrics({ service: 'composer' })
  const composerMetrics = createComposerMetrics({
    metrics,
    version: '1.2.3',
    servers: () => all,
    catalog,
    uptimeSeconds: () => 42,
  })
  const streams = createWebSocketStreams({ logger, maxStreamsPerCaller: 64 })
  const config = createFixtureConfig()
  const translators = createFixtureTranslators()
  const parts: ComposerParts = {
    version: '1.2.3',
    supervisor: { servers: () => all, find: (name) => all.find((server) => server.name === name) },
    catalog,
    calls: {
      async request({ name }, method, params, asker) {
        const request = { server: name, method, params, asker }
        sent.push(request)
        return state.answer(request)
      },
      status: () => ({ inFlight: 0, queued: 0, circuit: 'closed' }),
    },
    config,
    translators,
    logBook,
    metrics: composerMetrics,
    streams,
    redactor,
    viewOf: () => state.view,
    limit: async () => {
      if (state.isLimited)
        throw new CallerError('rate_limit', 'Too many.', { headers: { 'retry-after': '9' } })
    },
    checkArguments: () => state.faults,
    record(entry) {
      recorded.push(entry)
      composerMetrics.called(entry)
    },
    isReady: () => state.isReady,
    uptimeSeconds: () => 42,
    conflictResolution: () => 'prefix',
  }

  const ring = createKeyRing(keys())
  const app = createApp({
    errorBody: composerErrorBody,
    validationStatus: 400,
    publicPatterns: docsPatterns(),
    guards: {},
    authentication: {
      realm: 'composer',
      verify: ring.verify,
      throttle: createFailureThrottle({ failures: 1_000 }),
    },
    logger,
    metrics: composerMetrics.http,
  })
  mountDocs(app, { title: 'composer', version: '1.2.3', serverUrl: () => '/' })
  mountMetrics(app, metrics)
  mountApi(app, prefix, parts)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })

  return {
    app,
    servers,
    catalog,
    state,
    sent,
    recorded,
    log,
    logBook,
    streams,
    config,
    translators,
    url: listening.url,
    port: listening.port,
    revoke: () => ring.replace([]),
    /** As the full token, as another one, or as nobody; a path within the API, or a whole one. */
    async call(path: string, { as = TOKEN, ...init }: RequestInit & { as?: string | null } = {}) {
      const headers = new Headers(init.headers)
      if (as !== null) headers.set('authorization', `Bearer ${as}`)
      const response = await fetch(`${listening.url}${path}`, { ...init, headers })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parse(text) }
    },
    async close() {
      streams.close()
      await listening.close(0)
    },
  }
}

export type RunningApi = Awaited<ReturnType<typeof startApi>>

export function send(method: string, value: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function keys() {
  return [
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(POWERLESS), subject: 'nobody', scopes: [] },
    ...SCOPES.map((scope) => ({ hash: hashToken(tokenFor(scope)), subject: scope, scopes: [scope] })),
  ]
}

function createServers(onChange: Parameters<typeof createFixtureServer>[2]) {
  const offers = {
    tools: [
      tool('add', {
        title: 'Adder',
        description: 'Adds two numbers',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      }),
      tool('read/file', { description: 'Reads' }),
    ],
    prompts: [{ name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] }],
    resources: [{ uri: 'file:///notes', name: 'notes', mimeType: 'text/plain' }],
  }
  const { prompts, resources } = offers
  return {
    alpha: createFixtureServer(
      stdio('alpha', [
        'node',
        'server.js',
        '--token',
        'abc123',
        '--no-token',
        '--verbose',
        '--api-key=xyz789',
        `--note=${SECRET}`,
      ]),
      { tools: offers.tools, prompts, resources },
      onChange,
    ),
    beta: createFixtureServer(
      {
        ...common('beta'),
        transport: 'http',
        url: `https://user:pass@example.org/mcp?token=${SECRET}`,
        headers: { authorization: 'Bearer value-of-the-header' },
        program: undefined,
      },
      { tools: [tool('add', { description: 'Adds as well' })] },
      onChange,
    ),
    gamma: createFixtureServer(
      stdio('gamma', ['python3', '-m', 'gamma'], { autoStart: false }),
      { tools: [tool('wait')] },
      onChange,
    ),
  }
}

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    // Empty, or no JSON: whoever expects some will not find it.
    return undefined
  }
}
