import type { Principal } from '@quire/kit/auth/principal'
import { isRecord } from '@quire/mcp/json'
import type { ComposedCatalog, View } from '../catalog/composed-catalog.ts'
import { type Reply, RpcFault } from '../rpc.ts'
import type { GatewayClient, GatewayRequest } from './gateway.ts'
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from './rpc-codes.ts'
import type { ServerCalls } from './server-calls.ts'

/** The requests, beside those for tools, of which the catalog knows the server. They throw an `RpcFault` for what is unknown, or not for the caller. */
export interface ComposedCalls {
  getPrompt(request: GatewayRequest): Promise<Reply>
  readResource(request: GatewayRequest): Promise<Reply>
  complete(request: GatewayRequest): Promise<Reply>
}

interface Seen {
  readonly catalog: ComposedCatalog
  readonly viewOf: (principal: Principal | undefined) => View
}

export function createComposedCalls(options: Seen & { readonly serverCalls: ServerCalls }): ComposedCalls {
  const { catalog, viewOf, serverCalls } = options

  function findPrompt(name: unknown, { principal }: GatewayClient) {
    const found = typeof name === 'string' ? catalog.findPrompt(name, viewOf(principal)) : undefined
    if (found) return found
    throw new RpcFault(INVALID_PARAMS, 'There is no such prompt. List the prompts to see what there is.')
  }

  function serverOfTemplate(uri: unknown, client: GatewayClient): string {
    const templates = catalog.templates(viewOf(client.principal))
    const found = templates.find(({ item }) => item.uriTemplate === uri)
    return found?.server ?? serverOfResource(options, uri, client)
  }

  return Object.freeze({
    getPrompt(request) {
      const { server, id, item } = findPrompt(request.params.name, request.client)
      const params = { ...request.params, name: item.name }
      return serverCalls.call({ server, target: id, request: { ...request, params } })
    },
    readResource(request) {
      const { uri } = request.params
      const server = serverOfResource(options, uri, request.client)
      return serverCalls.call({ server, target: String(uri), request })
    },
    complete(request) {
      const { ref } = request.params
      if (isRecord(ref) && ref.type === 'ref/prompt') {
        const { server, id, item } = findPrompt(ref.name, request.client)
        const params = { ...request.params, ref: { ...ref, name: item.name } }
        return serverCalls.call({ server, target: id, request: { ...request, params } })
      }
      if (isRecord(ref) && ref.type === 'ref/resource') {
        const server = serverOfTemplate(ref.uri, request.client)
        return serverCalls.call({ server, target: String(ref.uri), request })
      }
      throw new RpcFault(
        INVALID_PARAMS,
        '"ref" has to name a prompt (ref/prompt) or a resource (ref/resource).',
      )
    },
  } satisfies ComposedCalls)
}

export function serverOfResource({ catalog, viewOf }: Seen, uri: unknown, client: GatewayClient): string {
  const server = typeof uri === 'string' ? catalog.serverOf(uri, viewOf(client.principal)) : undefined
  if (server !== undefined) return server
  const code = client.era === 'modern' || typeof uri !== 'string' ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  throw new RpcFault(code, 'Resource not found. List the resources to see what there is.', { uri })
}
