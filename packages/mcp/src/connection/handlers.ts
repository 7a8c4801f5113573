import {
  Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitRequestParams,
  type ElicitResult,
  type Implementation,
  type Root,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client'

export interface HandlerContext {
  /** Aborted when the server withdraws its question or the connection ends. */
  readonly signal: AbortSignal
}

/** What a server may ask of us. What has no handler is not offered to the server, and refused if it asks all the same. */
export interface ServerRequestHandlers {
  readonly sampling?: (
    params: CreateMessageRequestParams,
    context: HandlerContext,
  ) => Promise<CreateMessageResult | CreateMessageResultWithTools>
  /** Forms and URLs alike: look at `params.mode`. */
  readonly elicitation?: (params: ElicitRequestParams, context: HandlerContext) => Promise<ElicitResult>
  readonly roots?: (context: HandlerContext) => Promise<Root[]>
}

export function createClient(
  clientInfo: Implementation,
  handlers: ServerRequestHandlers,
  versionNegotiation: VersionNegotiationOptions,
  capabilities: ClientCapabilities = toCapabilities(handlers),
): Client {
  const { sampling, elicitation, roots } = handlers
  const client = new Client(clientInfo, { capabilities, versionNegotiation })
  if (sampling) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) => sampling(params, mcpReq))
  }
  if (elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicitation(params, mcpReq))
  }
  if (roots) {
    client.setRequestHandler('roots/list', async (_request, { mcpReq }) => ({ roots: await roots(mcpReq) }))
  }
  return client
}

function toCapabilities({ sampling, elicitation, roots }: ServerRequestHandlers): ClientCapabilities {
  return {
    ...(sampling && { sampling: {} }),
    ...(elicitation && { elicitation: { form: {}, url: {} } }),
    ...(roots && { roots: {} }),
  }
}
