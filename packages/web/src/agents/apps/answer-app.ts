import { isDark } from '../../app/theme.ts'
import { request } from '../../services/request.ts'
import { toText } from '../../ui/to-text.ts'
import type { CallGate } from './call-gate.ts'
import { toLink } from './to-link.ts'
import { isTable } from './user-interfaces.ts'

/** https://github.com/modelcontextprotocol/ext-apps: the date of the specification. */
const VERSION = '2026-01-26'
const UNKNOWN_METHOD = -32601
const FAILED = -32000

export interface AppContext {
  readonly toolset: string
  /** The tool that shows the app, as the agent called it. */
  readonly shownBy: string
  readonly conversationId: string
  readonly args: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
  readonly mostPixels: number
  /** Nothing is opened without a person. */
  readonly onLink: (link: URL) => void
  /** No tool is called without a person, either: also a stored conversation shows its apps again. */
  readonly gate: CallGate
}

type Reply = (message: unknown) => void
type Params = Readonly<Record<string, unknown>>

/** The host's side of MCP Apps. What an app asks for is asked of the service, which decides whether it may. */
export async function answerApp(context: AppContext, message: unknown, reply: Reply): Promise<void> {
  if (!isTable(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return
  const { id, method } = message
  const params = isTable(message.params) ? message.params : {}
  if (id === undefined) return onNotification(context, method, reply)
  try {
    const result = await onRequest(context, method, params)
    if (result === undefined) fail(UNKNOWN_METHOD, `This host does not know ${method}.`)
    else reply({ jsonrpc: '2.0', id, result })
  } catch (error) {
    fail(FAILED, error instanceof Error ? error.message : String(error))
  }

  function fail(code: number, text: string): void {
    reply({ jsonrpc: '2.0', id, error: { code, message: text } })
  }
}

function onNotification({ args, result }: AppContext, method: string, reply: Reply): void {
  if (method !== 'ui/notifications/initialized') return
  reply({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: args } })
  reply({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: result })
}

async function onRequest(context: AppContext, method: string, params: Params): Promise<unknown> {
  if (method === 'ping') return {}
  if (method === 'ui/initialize') return toInitialized(context)
  if (method === 'tools/call') return context.gate.run(toText(params.name), () => callTool(context, params))
  if (method === 'resources/read') return readResource(context.toolset, toText(params.uri))
  if (method !== 'ui/open-link') return undefined
  context.onLink(toLink(params.url))
  return {}
}

function toInitialized({ mostPixels }: AppContext) {
  return {
    protocolVersion: VERSION,
    hostInfo: { name: 'quire', version: '1' },
    hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {} },
    hostContext: {
      theme: isDark() ? 'dark' : 'light',
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: { maxHeight: mostPixels },
      locale: navigator.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      platform: 'web',
    },
  }
}

function callTool({ toolset, shownBy, conversationId }: AppContext, params: Params): Promise<unknown> {
  const tool = encodeURIComponent(toText(params.name))
  return request('runtime', `/api/v1/mcp-ui/toolsets/${encodeURIComponent(toolset)}/tools/${tool}/call`, {
    method: 'POST',
    body: {
      session_id: conversationId,
      shown_by: shownBy,
      ...(isTable(params.arguments) && { arguments: params.arguments }),
    },
  })
}

export function readResource(toolset: string, uri: string): Promise<{ contents: readonly unknown[] }> {
  return request('runtime', `/api/v1/mcp-ui/toolsets/${encodeURIComponent(toolset)}/resources`, {
    query: { uri },
  })
}
