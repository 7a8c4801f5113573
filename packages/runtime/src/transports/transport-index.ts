import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { json, REFUSED, UNAVAILABLE } from '../routes/declare.ts'
import type { TransportParts } from './parts.ts'

export interface TransportIndex {
  /** As in `/api/v1/ag-ui`. */
  readonly path: string
  readonly protocol: string
  readonly version: string
  readonly description: string
  readonly documentation: string
  /** The beginning of the ids of its operations. */
  readonly operation: string
  /** What there is, by name; `{agent_id}` stands for an agent. */
  readonly endpoints: Readonly<Record<string, string>>
  readonly endpointOf: (agentId: string) => string
}

const Index = z.object({
  protocol: z.string(),
  version: z.string(),
  description: z.string(),
  documentation: z.string(),
  endpoints: z.record(z.string(), z.string()),
})

const AgentEndpoints = z.object({
  agents: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.string(), endpoint: z.string() }),
  ),
  count: z.int(),
})

/** The root of a transport, which says what it is, and the list of the agents that it reaches: all of them. */
export function mountTransportIndex(
  app: ServiceApp,
  { agents }: Pick<TransportParts, 'agents'>,
  { path, operation, endpointOf, protocol, version, description, documentation, endpoints }: TransportIndex,
): void {
  const common = { tags: [protocol], method: 'get' as const, security: needs('agents:read') }

  const root = createRoute({
    ...common,
    path,
    operationId: `${operation}Info`,
    summary: `How ${protocol} is spoken here`,
    responses: { ...REFUSED, 200: json('The protocol', Index) },
  })
  const index = { protocol, version, description, documentation, endpoints: { ...endpoints } }
  app.openapi(root, (c) => c.json(index, 200))

  const list = createRoute({
    ...common,
    path: `${path}/agents`,
    operationId: `${operation}Agents`,
    summary: `The agents, and where each is reached over ${protocol}`,
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents', AgentEndpoints) },
  })
  app.openapi(list, async (c) => {
    const listed = (await agents.list()).map(({ id, name, description }) => ({
      id,
      name,
      description,
      endpoint: endpointOf(id),
    }))
    return c.json({ agents: listed, count: listed.length }, 200)
  })
}
