import {
  type CallToolResult,
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio'
import { textOf } from './notebook.fixture.ts'
import type { Mode } from './notebook-clients.fixture.ts'

/** The official client, which answers what it is asked with its own name, and keeps what it is told. */
export interface NamedClient {
  readonly client: Client
  readonly heard: { readonly method: string; readonly params: Record<string, unknown> }[]
  /** What servers asked of it. */
  readonly asked: string[]
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>
  say(name: string, args?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

const NOTIFICATIONS = [
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
] as const

export function connectToUrl(url: string, mode: Mode, name: string, key?: string): Promise<NamedClient> {
  const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }), mode, name)
}

/** As clients of 2024 did. */
export function connectToSse(url: string, name: string): Promise<NamedClient> {
  return connect(new SSEClientTransport(new URL(url)), 'legacy', name)
}

export function connectToProgram(
  program: StdioServerParameters,
  mode: Mode,
  name: string,
): Promise<NamedClient> {
  return connect(new StdioClientTransport({ stderr: 'ignore', ...program }), mode, name)
}

async function connect(transport: Transport, mode: Mode, name: string): Promise<NamedClient> {
  const client = new Client(
    { name, version: '1' },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode },
    },
  )
  const heard: NamedClient['heard'] = []
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', () => {
    asked.push('elicitation')
    return { action: 'accept', content: { colour: name } }
  })
  client.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling')
    return { role: 'assistant', model: 'none', content: { type: 'text', text: `a poem by ${name}` } }
  })
  client.setRequestHandler('roots/list', () => {
    asked.push('roots')
    return { roots: [{ uri: `file:///home/${name}` }] }
  })
  for (const method of NOTIFICATIONS)
    client.setNotificationHandler(method, ({ params = {} }) => void heard.push({ method, params }))
  await client.connect(transport)
  const call = (tool: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name: tool, arguments: args })
  return {
    client,
    heard,
    asked,
    call,
    say: async (tool, args) => textOf(await call(tool, args)),
    close: () => client.close(),
  }
}
