import type { Tool } from '@modelcontextprotocol/client'
import { EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { Era } from '@quire/mcp/connection/era'
import type { AccessView } from '../access/access.ts'
import type { Calls } from '../calls/calls.ts'
import type { ComposedCatalog, PromptEntry, ToolEntry, View } from '../catalog/composed-catalog.ts'
import type { Link } from '../link/link.ts'
import { PLAIN_DEFINITION } from '../plain-definition.ts'
import { type Asker, type Params, type Reply, RpcFault } from '../rpc.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { SupervisedServer, Supervisor } from '../supervisor/supervisor.ts'
import type { GatewayClient, GatewayRequest } from './gateway.ts'

/** A request as it reached a server. */
export interface Sent {
  readonly server: string
  readonly method: string
  readonly params: Params
  readonly asker: Asker
}

/** What a server made by hand does with a request: its result. An `RpcFault` is its error, anything else keeps it from answering. */
export type Answer = (sent: Sent) => unknown

export const everything: AccessView = Object.freeze({
  key: 'everything',
  allowsTool: () => true,
  allows: () => true,
  mayAllow: () => true,
})

export function toolEntry(server: string, tool: Pick<Tool, 'name'> & Partial<Tool>): ToolEntry {
  const item: Tool = { inputSchema: { type: 'object' }, ...tool }
  const { name } = tool
  return { server, item, id: `${server}:${name}`, name: `${server}__${name}`, hash: '', trust: 'known' }
}

export function promptEntry(server: string, name: string): PromptEntry {
  return { server, item: { name }, id: `${server}:${name}`, name: `${server}__${name}` }
}

/** A catalog of what it is given; the lists may be changed later. */
export function createHandCatalog() {
  const lists = {
    tools: [] as ToolEntry[],
    prompts: [] as PromptEntry[],
    resources: [] as { server: string; item: { uri: string; name: string } }[],
    templates: [] as { server: string; item: { uriTemplate: string; name: string } }[],
  }
  const seen = (view?: View) => lists.tools.filter((entry) => !view || view.allowsTool(entry))
  const offered = (view?: View) => seen(view).filter(({ trust }) => trust !== 'blocked')
  const catalog: ComposedCatalog = {
    configure: () => undefined,
    update: () => undefined,
    tools: offered,
    findTool: (name, view) => seen(view).find((entry) => entry.name === name || entry.id === name),
    search: () => ({ tools: [], total: 0 }),
    prompts: () => lists.prompts,
    findPrompt: (name) => lists.prompts.find((entry) => entry.name === name),
    resources: () => lists.resources,
    templates: () => lists.templates,
    serverOf: (uri) => lists.resources.find(({ item }) => item.uri === uri)?.server,
    conflicts: () => [],
    approve: () => false,
  }
  return { lists, catalog }
}

/** Servers that answer as they are told, without a process. */
export function createHandServers(names: readonly string[], era: Era, answer: Answer) {
  const sent: Sent[] = []
  const links = new Map(names.map((name) => [name, createHandLink(name, era)]))
  const servers = names.map((name) => createHandServer(name, () => links.get(name)?.link))
  const calls: Calls = {
    async request(server, method, params, asker): Promise<Reply> {
      const request = { server: server.name, method, params, asker }
      sent.push(request)
      try {
        const result = await answer(request)
        return { result: Buffer.from(JSON.stringify(result)), era }
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error
        const { code, message, data } = error
        return { error: { code, message, data } }
      }
    },
    status: () => ({ inFlight: 0, queued: 0, circuit: 'closed' }),
    drain: async () => undefined,
  }
  const supervisor: Supervisor = {
    servers: () => servers,
    find: (name) => servers.find((server) => server.name === name),
    apply: async () => ({ added: [], removed: [], changed: [], unchanged: [] }),
    close: async () => undefined,
  }
  return { sent, links, servers, calls, supervisor }
}

/** Notes what it is told and which subscriptions it holds. */
export function createHandLink(server: string, era: Era) {
  const notified: string[] = []
  const subscribed: string[] = []
  const link: Link = {
    server,
    pid: null,
    eraFor: () => era,
    info: () => ({
      protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
      serverInfo: { name: server, version: '1' },
      capabilities: { tools: {}, resources: { subscribe: true }, tasks: {} },
      instructions: `Use ${server} well.`,
    }),
    catalog: () => EMPTY_CATALOG,
    request: () => Promise.reject(new Error('calls are answered without a link')),
    notify: async (method) => void notified.push(method),
    async subscribe(uri, signal) {
      subscribed.push(uri)
      signal.addEventListener('abort', () => subscribed.splice(subscribed.indexOf(uri), 1))
    },
    ping: async () => undefined,
    ended: new Promise(() => undefined),
    close: async () => undefined,
  }
  return { link, notified, subscribed }
}

function createHandServer(name: string, link: () => Link | undefined): SupervisedServer {
  async function use(): Promise<Link> {
    const found = link()
    if (!found) throw new Error(`${name} does not run`)
    return found
  }
  return {
    name,
    definition: handDefinition(name),
    history: () => [],
    status: () => ({
      state: 'running',
      pid: null,
      uptimeSeconds: 1,
      restartCount: 0,
      lastError: null,
      retryInMs: null,
    }),
    catalog: () => EMPTY_CATALOG,
    link,
    use,
    start: async () => undefined,
    stop: async () => undefined,
    restart: async () => undefined,
  }
}

function handDefinition(name: string): ServerDefinition {
  return {
    name,
    transport: 'embedded',
    module: name,
    ...PLAIN_DEFINITION,
    autoStart: true,
    readyMs: 1000,
    restart: { ...PLAIN_DEFINITION.restart, policy: 'never' },
    limits: {
      ...PLAIN_DEFINITION.limits,
      timeoutMs: 10_000,
      resetOnProgress: false,
      maxTotalMs: 10_000,
      inFlight: 8,
      queued: 8,
    },
  }
}

export function client(era: Era, more: Partial<GatewayClient> = {}): GatewayClient {
  return { era, principal: undefined, capabilities: {}, clientInfo: undefined, ...more }
}

export function request(
  from: GatewayClient,
  method: string,
  params: Params = {},
  more: Partial<GatewayRequest> = {},
): GatewayRequest {
  return { client: from, method, params, signal: new AbortController().signal, ...more }
}

/** The result of a reply, parsed; fails where it is an error. */
export function resultOf(reply: Reply) {
  if ('error' in reply) throw new Error(`an error came back: ${JSON.stringify(reply.error)}`)
  return JSON.parse(reply.result.toString())
}

export function errorOf(reply: Reply) {
  if ('error' in reply) return reply.error
  throw new Error(`a result came back: ${reply.result.toString()}`)
}
