import { EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { Link, LinkEnd } from '../link/link.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { CallLimits, StdioDefinition } from '../server-definition.ts'
import { define } from '../supervisor/links.fixture.ts'
import type { ServerState } from '../supervisor/server-state.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'

export type Answer = (method: string, params: Params, asker: Asker) => Promise<Reply>

export const DONE: Reply = Object.freeze({ result: Buffer.from('{"content":[]}') })

export function createAsker(extra: Partial<Asker> = {}): Asker {
  return { era: 'legacy', capabilities: {}, client: {}, signal: new AbortController().signal, ...extra }
}

export function createFakeLink(
  request: Answer,
  ended: Promise<LinkEnd> = new Promise(() => undefined),
): Link {
  return {
    server: 'files',
    pid: null,
    ended,
    eraFor: () => 'legacy',
    info: () => ({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'files', version: '1' },
      capabilities: {},
      instructions: undefined,
    }),
    catalog: () => EMPTY_CATALOG,
    request,
    notify: async () => undefined,
    subscribe: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  }
}

export interface FakeServer extends SupervisedServer {
  state: ServerState
  current: Link | undefined
  waiting: (signal: AbortSignal) => Promise<Link>
}

/** A server that is what a test says it is. */
export function createFakeServer(
  request: Answer,
  limits: Partial<CallLimits> = {},
  extra: Partial<StdioDefinition> = {},
): FakeServer {
  const base = define('files')
  const server: FakeServer = {
    name: base.name,
    definition: { ...base, ...extra, limits: { ...base.limits, ...limits } },
    state: 'running',
    current: createFakeLink(request),
    waiting: () => Promise.reject(new Error('nobody said what to wait for')),
    status: () => ({
      state: server.state,
      pid: null,
      uptimeSeconds: null,
      restartCount: 0,
      lastError: null,
      retryInMs: null,
    }),
    history: () => [],
    catalog: () => EMPTY_CATALOG,
    link: () => server.current,
    use: (signal) => (server.current ? Promise.resolve(server.current) : server.waiting(signal)),
    start: async () => undefined,
    stop: async () => undefined,
    restart: async () => undefined,
  }
  return server
}
