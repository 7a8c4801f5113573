import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { absoluteAddress, publicAddress } from '../public-address.ts'
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
  /** Where what describes an agent to clients is, if there is such a thing. */
  readonly cardOf?: (agentId: string) => string
}

const Index = z
  .object({
    protocol: z.string().describe('The name of the protocol.'),
    version: z.string().describe('The version that is spoken here.'),
    description: z.string().describe('What it is, and what is what in it.'),
    documentation: z.string().describe('Where the protocol is described.'),
    endpoints: z
      .record(z.string(), z.string())
      .describe('What there is, by name; `{agent_id}` stands for an agent.'),
  })
  .openapi('Protocol', { description: 'How a protocol is spoken here.' })

const AgentEndpoints = z
  .object({
    agents: z
      .array(
        z.object({
          id: z.string().describe('The id of the agent.'),
          name: z.string().describe('The name that people see.'),
          description: z.string().describe('What the agent is for.'),
          endpoint: z.string().describe('Where it is reached.'),
          card_url: z.string().optional().describe('Where its card is, of A2A alone.'),
        }),
      )
      .describe('All agents.'),
    count: z.int().describe('How many there are.'),
  })
  .openapi('AgentEndpoints', { description: 'Where each agent is reached.' })

/** The root of a transport, which says what it is, and the list of the agents that it reaches: all of them. */
export function mountTransportIndex(
  app: ServiceApp,
  { agents, publicUrl }: Pick<TransportParts, 'agents' | 'publicUrl'>,
  transport: TransportIndex,
): void {
  const { path, operation, endpointOf, cardOf, protocol, version, description, documentation } = transport
  const endpoints = Object.fromEntries(
    Object.entries(transport.endpoints).map(([name, at]) => [name, publicAddress(publicUrl, at)]),
  )
  const common = { tags: [protocol], method: 'get' as const, security: needs('agents:read') }

  const index = { protocol, version, description, documentation, endpoints }
  const root = createRoute({
    ...common,
    path,
    operationId: `${operation}Info`,
    summary: `Read how ${protocol} is spoken here`,
    description,
    responses: { ...REFUSED, 200: json('The protocol.', Index, index) },
  })
  app.openapi(root, (c) => c.json(index, 200))

  const list = createRoute({
    ...common,
    path: `${path}/agents`,
    operationId: `${operation}Agents`,
    summary: `List the agents that ${protocol} reaches`,
    description: `All of them: an agent can be reached in every way, whatever its \`transport\` says.`,
    responses: {
      ...REFUSED,
      ...UNAVAILABLE,
      200: json('The agents.', AgentEndpoints, {
        agents: [
          { id: 'guide', name: 'Guide', description: 'A rule-based guide.', endpoint: endpointOf('guide') },
        ],
        count: 1,
      }),
    },
  })
  app.openapi(list, async (c) => {
    const listed = (await agents.list()).map(({ id, name, description }) => ({
      id,
      name,
      description,
      endpoint: publicAddress(publicUrl, endpointOf(id)),
      ...(cardOf && { card_url: absoluteAddress(publicUrl, cardOf(id), c.req.url) }),
    }))
    return c.json({ agents: listed, count: listed.length }, 200)
  })
}
