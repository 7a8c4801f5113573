import type { Tool } from '@quire/agent/tool'
import { createApp } from '@quire/kit/app/create-app'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { serve } from '@quire/kit/serve/serve'
import { createSse } from '@quire/kit/stream/sse'
import { openToolsets } from '@quire/mcp/fixtures/open-toolsets'
import { createModelTools } from '@quire/mcp/toolsets/model-tools'
import { mountA2ui } from '../a2ui/mount-a2ui.ts'
import { agentWith } from '../agents/agent.fixture.ts'
import type { AgentRecord, AgentStore } from '../agents/agent-record.ts'
import { runtimeErrorBody } from '../error-body.ts'
import { SCOPES } from '../scopes.ts'
import type { Frame } from '../turns/frame.ts'
import { createScriptedTurns, type Scene } from '../turns/scripted-turns.fixture.ts'
import { mountMcpUi } from './mount-mcp-ui.ts'
import { UI_CAPABILITIES } from './tool-ui.ts'

/** Has all scopes. */
export const TOKEN = 'full-access-0123456789abcdef'
/** Has all scopes too, and is somebody else. */
export const OTHER = 'other-access-0123456789abcde'
/** Has this one alone. */
export const tokenFor = (scope: string) => `${scope.replace(':', '-')}-0123456789abcdef`

/** What a turn does, in place of a model: it may wait, and call its tools. */
export type UiScript = (scene: Scene & { readonly tools: readonly Tool[] }) => AsyncIterable<Frame>

/** Both protocols on a real port, in front of real toolsets and turns that a test scripts. */
export async function startUiApp(mcpServers: object = {}, { isAsking = false } = {}) {
  const opened = openToolsets(mcpServers, { capabilities: UI_CAPABILITIES })
  const { toolsets, logger, log, redactor } = opened
  await Promise.all(toolsets.names.map((name) => toolsets.connection(name).whenReady(10_000)))
  const records = [
    agentWith({ mcpToolsets: toolsets.names }),
    ...(isAsking ? [agentWith({ id: 'careful', mcpToolsets: toolsets.names, toolApproval: true })] : []),
    agentWith({ id: 'grace', name: 'Grace', mcpToolsets: [], description: '' }),
  ]
  const state = { script: async function* () {} as UiScript }
  const agents = storeOf(records)
  const modelTools = createModelTools(toolsets, opened)
  async function* acts(scene: Scene) {
    const tools = await modelTools.toolsOf({ names: scene.agent.mcpToolsets }, scene.signal)
    yield* state.script({ ...scene, tools })
  }
  const find = (id: string) => records.find((record) => record.id === id)
  const scripted = createScriptedTurns(find, () => ({ acts, after: acts }))
  const ring = createKeyRing([
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(OTHER), subject: 'eve' },
    ...SCOPES.map((scope) => ({ hash: hashToken(tokenFor(scope)), subject: scope, scopes: [scope] })),
  ])
  const sse = createSse({ logger })
  const app = createApp({
    errorBody: runtimeErrorBody,
    guards: {},
    authentication: { realm: 'runtime', verify: ring.verify },
    logger,
  })
  const { conversations } = scripted
  const parts = {
    turns: scripted.turns,
    conversations,
    agents,
    toolsets,
    redactor,
    logger,
    sse,
    streamEnd: () => undefined,
  }
  mountMcpUi(app, parts)
  mountA2ui(app, parts)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })

  function request(path: string, { as = TOKEN, ...init }: RequestInit & { as?: string | null } = {}) {
    const headers = new Headers(init.headers)
    if (as !== null) headers.set('authorization', `Bearer ${as}`)
    return fetch(`${listening.url}/api/v1${path}`, { ...init, headers })
  }

  return {
    app,
    state,
    scripted,
    toolsets,
    log,
    request,
    revokeAll: () => ring.replace([]),
    async call(path: string, init?: Parameters<typeof request>[1]) {
      const response = await request(path, init)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      }
    },
    async close() {
      sse.close()
      await listening.close(0)
      await toolsets.close()
    },
  }
}

export type UiApp = Awaited<ReturnType<typeof startUiApp>>

export function post(value: unknown, headers: Readonly<Record<string, string>> = {}) {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
}

function storeOf(records: readonly AgentRecord[]): AgentStore {
  const refuse = () => Promise.reject(new Error('the agents of this fixture stay as they are'))
  return {
    list: async () => records,
    find: async (id) => records.find((record) => record.id === id),
    insert: refuse,
    update: refuse,
    remove: refuse,
  }
}
