import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { publicAddress } from '../public-address.ts'
import { json, REFUSED, UNAVAILABLE } from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import { A2uiAgentList, A2uiDescription } from './contract.ts'
import { AGENTS_EXAMPLE, PROTOCOL_EXAMPLE } from './documented.ts'
import { A2UI_MEDIA_TYPE, A2UI_VERSION, BASIC_CATALOG } from './messages.ts'

const tags = ['a2ui']
const EXTENSION = `https://a2ui.org/a2a-extension/a2ui/${A2UI_VERSION}`

export function mountDescription(
  app: ServiceApp,
  root: string,
  { agents, publicUrl }: Pick<RuntimeParts, 'agents' | 'publicUrl'>,
): void {
  const at = publicAddress(publicUrl, root)
  const describe = createRoute({
    tags,
    method: 'get',
    path: root,
    operationId: 'describeA2ui',
    summary: 'Read how A2UI is spoken here',
    description: 'The versions, catalogs and kinds of streams, and where what is.',
    security: needs('agents:read'),
    responses: { ...REFUSED, 200: json('The protocol.', A2uiDescription, PROTOCOL_EXAMPLE) },
  })
  app.openapi(describe, (c) =>
    c.json(
      {
        protocol: 'a2ui' as const,
        description: 'Turns of agents as user interfaces that any renderer of A2UI can show.',
        documentation: 'https://a2ui.org',
        version: A2UI_VERSION,
        versions: [A2UI_VERSION],
        media_type: A2UI_MEDIA_TYPE,
        catalogs: [BASIC_CATALOG],
        streams: ['text/event-stream', 'application/x-ndjson'],
        endpoints: { agents: `${at}/agents`, prompt: `${at}/agents/{agent_id}` },
      },
      200,
    ),
  )

  const list = createRoute({
    tags,
    method: 'get',
    path: `${root}/agents`,
    operationId: 'listA2uiAgents',
    summary: 'List the agents that A2UI reaches',
    description: 'All of them: we make the surface of what happens in their turns.',
    security: needs('agents:read'),
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents.', A2uiAgentList, AGENTS_EXAMPLE) },
  })
  app.openapi(list, async (c) => {
    const params = { supportedCatalogIds: [BASIC_CATALOG], acceptsInlineCatalogs: false }
    const entries = (await agents.list()).map(({ id, name, description }) => ({
      id,
      name,
      description,
      endpoint: `${at}/agents/${id}`,
      extension: { uri: EXTENSION, params },
    }))
    return c.json({ agents: entries, count: entries.length }, 200)
  })
}
