import type { Principal } from '@quire/kit/auth/principal'
import type { AccessView } from '../access/access.ts'
import { createServerSight } from '../access/server-sight.ts'
import type { Calls } from '../calls/calls.ts'
import type { ComposedCatalog } from '../catalog/composed-catalog.ts'
import { type Reply, RpcFault } from '../rpc.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import { createCalledServers } from './called-servers.ts'
import { createChanges } from './changes.ts'
import { createComposedCalls, serverOfResource } from './composed-calls.ts'
import { createComposedLists } from './composed-lists.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import { CAPABILITIES, discover } from './face.ts'
import type { GatewayClient, GatewayFace, GatewayRequest } from './gateway.ts'
import { createInstructions } from './instructions.ts'
import type { ListKind } from './lists.ts'
import { toOwnReply } from './own-result.ts'
import { createParamHeaders } from './param-headers.ts'
import { createRelay } from './relay.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from './rpc-codes.ts'
import { createSearchMode } from './search-mode.ts'
import { createServerCalls, type ServerCallOptions } from './server-calls.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createSuspendedCalls } from './suspended-calls.ts'
import { createToolCalls } from './tool-calls.ts'

export interface GatewayOptions extends Pick<ServerCallOptions, 'limit' | 'onCall' | 'logger'> {
  readonly catalog: ComposedCatalog
  readonly supervisor: Supervisor
  readonly calls: Calls
  /** Asked anew each time: the configuration may change. */
  readonly settings: () => GatewaySettings
  readonly viewOf: (principal: Principal | undefined) => AccessView
}

export interface GatewaySettings {
  readonly name: string
  readonly version: string
  /** `search`: clients get three tools by which they find and call all others. */
  readonly mode: 'full' | 'search'
}

const NOBODY = Object.freeze({ principal: undefined })

type Method = (request: GatewayRequest) => Reply | Promise<Reply>

/** All servers as one. */
export function createGateway(options: GatewayOptions): DrivenGateway {
  const { catalog, supervisor, settings, viewOf, logger } = options
  const find = supervisor.find
  const suspendedCalls = createSuspendedCalls()
  const calledServers = createCalledServers({ find, logger })
  const relay = createRelay({ calls: options.calls, suspendedCalls })
  const serverCalls = createServerCalls({ ...options, find, relay, calledServers })
  const toolCalls = createToolCalls({ catalog, supervisor, serverCalls, paramHeaders: createParamHeaders() })
  const composedCalls = createComposedCalls({ catalog, serverCalls, viewOf })
  const searchMode = createSearchMode({ catalog, toolCalls })
  const subscriptions = createSubscriptions({ logger })
  const instructions = createInstructions(supervisor)
  const changes = createChanges()
  const lists = createComposedLists(catalog)

  const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['server/discover', ({ client }) => toOwnReply(client.era, discover(face(client)))],
    ['tools/list', listTools],
    ['tools/call', callTool],
    ['prompts/list', list('prompts')],
    ['prompts/get', composedCalls.getPrompt],
    ['resources/list', list('resources')],
    ['resources/templates/list', list('resourceTemplates')],
    ['resources/read', composedCalls.readResource],
    ['completion/complete', composedCalls.complete],
  ])

  function face({ principal }: Pick<GatewayClient, 'principal'> = NOBODY): GatewayFace {
    const { name, version, mode } = settings()
    const { sees } = createServerSight(catalog, { view: viewOf(principal) })
    return {
      serverInfo: { name, version },
      capabilities: CAPABILITIES,
      instructions: instructions.compose(mode, sees),
    }
  }

  function list(kind: ListKind): Method {
    return (request) => lists.list(kind, request, viewOf(request.client.principal))
  }

  function listTools(request: GatewayRequest): ReturnType<Method> {
    return settings().mode === 'search' ? lists.listSearch(request) : list('tools')(request)
  }

  async function callTool(request: GatewayRequest): Promise<Reply> {
    const { name } = request.params
    const view = viewOf(request.client.principal)
    if (typeof name !== 'string') throw new RpcFault(INVALID_PARAMS, '"name" has to be the name of a tool.')
    if (settings().mode === 'search' && searchMode.has(name)) return searchMode.call(name, request, view)
    const found = toolCalls.awaitTool(name, view, request.signal)
    const entry = found instanceof Promise ? await found : found
    return toolCalls.call(entry, request, request.params)
  }

  return Object.freeze({
    face,
    async handle(request) {
      const { method, client } = request
      try {
        const serve = methods.get(method)
        if (!serve || (method === 'server/discover' && client.era === 'legacy'))
          throw new RpcFault(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, MAX_SHOWN)}`)
        return await serve(request)
      } catch (error) {
        return serverCalls.refuse(request, error)
      }
    },
    notified: calledServers.tell,
    async subscribe(client, uri) {
      const name = serverOfResource({ catalog, viewOf }, uri, client)
      const server = find(name)
      if (!server) throw new RpcFault(INTERNAL_ERROR, `Server "${name}" is no longer there.`)
      return subscriptions.add(server, uri)
    },
    onChange: changes.onChange,
    changed: changes.listChanged,
    resourceUpdated(server, uri) {
      if (subscriptions.has(server) && catalog.serverOf(uri) === server) changes.resourceUpdated(uri)
    },
    linkReplaced(name) {
      const server = find(name)
      if (!server) return
      instructions.learn(server)
      subscriptions.renew(server)
    },
    close() {
      suspendedCalls.close()
      subscriptions.close()
      changes.close()
    },
  } satisfies DrivenGateway)
}

const MAX_SHOWN = 128
