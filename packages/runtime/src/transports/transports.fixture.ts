import { createApp } from '@quire/kit/app/create-app'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { createLogger } from '@quire/kit/log'
import { serve } from '@quire/kit/serve/serve'
import { createSse } from '@quire/kit/stream/sse'
import type { AgentRecord } from '../agents/agent-record.ts'
import { runtimeErrorBody } from '../error-body.ts'
import type { Frame } from '../turns/frame.ts'
import { createScriptedTurns } from '../turns/scripted-turns.fixture.ts'
import { mountA2a } from './a2a/mount-a2a.ts'
import { mountAgUi } from './ag-ui/mount-ag-ui.ts'
import type { TransportParts } from './parts.ts'
import { mountVercelAi } from './vercel-ai/mount-vercel-ai.ts'

/** May do everything. */
export const TOKEN = 'adas-access-0123456789abcdef'
/** Another one who may. */
export const OTHER = 'bobs-access-0123456789abcdef'
/** May look, and not prompt. */
export const READER = 'read-access-0123456789abcdef'

export const AS_ADA = { authorization: `Bearer ${TOKEN}` }

export interface TransportsOptions
  extends Partial<Pick<TransportParts, 'publicUrl' | 'streamEnd' | 'isOpen'>> {
  readonly heartbeatMs?: number
}

/** The three transports on a real port, in front of whatever takes the place of the turns. */
export async function serveTransports(
  given: Pick<TransportParts, 'agents' | 'turns' | 'conversations'> & TransportsOptions,
) {
  const log: string[] = []
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => log.push(line) },
  })
  const sse = createSse({ logger, heartbeatMs: given.heartbeatMs ?? 15_000 })
  const ring = createKeyRing([
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(OTHER), subject: 'bob' },
    { hash: hashToken(READER), subject: 'eve', scopes: ['agents:read'] },
  ])
  const app = createApp({
    errorBody: runtimeErrorBody,
    guards: {},
    authentication: { realm: 'runtime', verify: ring.verify },
    logger,
  })
  const parts: TransportParts = {
    streamEnd: () => undefined,
    isOpen: () => false,
    ...given,
    version: '1.2.3',
    sse,
    logger,
  }
  mountAgUi(app, '/api/v1', parts)
  mountVercelAi(app, '/api/v1', parts)
  mountA2a(app, '/api/v1', parts)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  return {
    app,
    log,
    sse,
    url: `${listening.url}/api/v1`,
    call(path: string, { as = TOKEN, ...init }: RequestInit & { as?: string | null } = {}) {
      const headers = new Headers(init.headers)
      if (as !== null) headers.set('authorization', `Bearer ${as}`)
      return fetch(`${listening.url}/api/v1${path}`, { ...init, headers })
    },
    async close() {
      sse.close()
      await listening.close(0)
    },
  }
}

export type ServedTransports = Awaited<ReturnType<typeof serveTransports>>

export const AGENTS: readonly AgentRecord[] = [toAgent('guide', 'Knows the way.'), toAgent('other', '')]

/** With turns that are played by hand. */
export async function startTransports(options: TransportsOptions = {}) {
  const find = (id: string) => AGENTS.find((agent) => agent.id === id)
  const scripted = createScriptedTurns(find)
  const served = await serveTransports({
    ...options,
    agents: { list: async () => AGENTS, find: async (id) => find(id) },
    turns: scripted.turns,
    conversations: scripted.conversations,
  })
  return { ...served, scripted }
}

export function post(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  }
}

export const text = (content: string): Frame => ({ type: 'text', content })
export const call = (id: string, name = 'add'): Frame => ({ type: 'tool_call', id, name, args: { a: 1 } })
export const asked = (id: string, name = 'add'): Frame => ({
  type: 'approval_request',
  id,
  name,
  args: { a: 1 },
})
export const result = (id: string, content = 'three', isError = false): Frame => ({
  type: 'tool_result',
  tool_call_id: id,
  result: { content: [{ type: 'text', text: content }], ...(isError && { isError }) },
})

/** Holds a turn until it is opened. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: () => resolve() }
}

/** The `data:` of an event stream, read to its end. */
export async function readEvents(response: Response): Promise<unknown[]> {
  const body = await response.text()
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    data === '[DONE]' ? data : JSON.parse(data),
  )
}

function toAgent(id: string, description: string): AgentRecord {
  return {
    id,
    name: `The ${id}`,
    description,
    transport: 'streaming',
    model: 'builtin:guide',
    systemPrompt: '',
    mcpToolsets: [],
    maxSteps: 20,
    toolApproval: false,
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
  }
}
