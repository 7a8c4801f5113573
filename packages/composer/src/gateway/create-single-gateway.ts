import { isRecord } from '@quire/mcp/json'
import type { Calls } from '../calls/calls.ts'
import type { LinkInfo } from '../link/link.ts'
import { type Params, type Reply, RpcFault } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { createCalledServers } from './called-servers.ts'
import { createChanges } from './changes.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import { CAPABILITIES, discover } from './face.ts'
import type { GatewayFace, GatewayRequest } from './gateway.ts'
import { toOwnReply } from './own-result.ts'
import { createParamHeaders } from './param-headers.ts'
import { createRelay } from './relay.ts'
import { METHOD_NOT_FOUND } from './rpc-codes.ts'
import { createServerCalls, type ServerCallOptions } from './server-calls.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createSuspendedCalls } from './suspended-calls.ts'

export interface SingleGatewayOptions extends Pick<ServerCallOptions, 'limit' | 'onCall' | 'logger'> {
  readonly server: SupervisedServer
  readonly calls: Calls
}

/** Of what a server declares, that which a request or a notification of it passes through us. */
const PASSED_ON: ReadonlySet<string> = new Set([...Object.keys(CAPABILITIES), 'experimental', 'extensions'])

/** One server under its own name, with its own names. */
export function createSingleGateway(options: SingleGatewayOptions): DrivenGateway {
  const { server, calls, logger } = options
  const find = () => server
  const suspendedCalls = createSuspendedCalls()
  const calledServers = createCalledServers({ find, logger })
  const relay = createRelay({ calls, suspendedCalls })
  const serverCalls = createServerCalls({ ...options, find, relay, calledServers })
  const paramHeaders = createParamHeaders()
  const subscriptions = createSubscriptions({ logger })
  const changes = createChanges()
  let lastInfo: LinkInfo | undefined

  function face(): GatewayFace {
    lastInfo = server.link()?.info() ?? lastInfo
    if (!lastInfo)
      return {
        serverInfo: { name: server.name, version: '0' },
        capabilities: CAPABILITIES,
        instructions: undefined,
      }
    const { serverInfo, capabilities, instructions } = lastInfo
    return { serverInfo, capabilities: toPassedOn(capabilities), instructions }
  }

  function checkHeaders({ method, params, paramHeaders: headers }: GatewayRequest): void {
    if (method !== 'tools/call' || !headers) return
    const tool = server.catalog().tools.find(({ name }) => name === params.name)
    if (isRecord(tool?.inputSchema)) paramHeaders.check(tool.inputSchema, params.arguments, headers)
  }

  return Object.freeze({
    face,
    async handle(request): Promise<Reply> {
      const { method, params, client } = request
      if (method === 'server/discover') {
        if (client.era === 'modern') return toOwnReply(client.era, discover(face()))
        return serverCalls.refuse(request, new RpcFault(METHOD_NOT_FOUND, `Method not found: ${method}`))
      }
      const target = String(params.name ?? params.uri)
      return serverCalls.call({ server: server.name, target, request, check: () => checkHeaders(request) })
    },
    notified: calledServers.tell,
    subscribe: (_client, uri) => subscriptions.add(server, uri),
    onChange: changes.onChange,
    changed: changes.listChanged,
    resourceUpdated: (_server, uri) => changes.resourceUpdated(uri),
    linkReplaced: () => subscriptions.renew(server),
    close() {
      suspendedCalls.close()
      subscriptions.close()
      changes.close()
    },
  } satisfies DrivenGateway)
}

function toPassedOn(capabilities: Params): Params {
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => PASSED_ON.has(name)))
}
