import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { json, REFUSED, UNAVAILABLE } from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import { A2uiAgentList, A2uiDescription } from './contract.ts'
import { A2UI_MEDIA_TYPE, A2UI_VERSION, BASIC_CATALOG } from './messages.ts'

const tags = ['a2ui']
const EXTENSION = `https://a2ui.org/a2a-extension/a2ui/${A2UI_VERSION}`

export function mountDescription(
  app: ServiceApp,
  root: string,
  { agents }: Pick<RuntimeParts, 'agents'>,
): void {
  const describe = createRoute({
    tags,
    method: 'get',
    path: root,
    operationId: 'describeA2ui',
    summary: 'What is spoken here, and where',
    security: needs('agents:read'),
    responses: { ...REFUSED, 200: json('The protocol', A2uiDescription) },
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
        endpoints: { agents: `${root}/agents`, prompt: `${root}/agents/{agent_id}` },
      },
      200,
    ),
  )

  const list = createRoute({
    tags,
    method: 'get',
    path: `${root}/agents`,
    operationId: 'listA2uiAgents',
    summary: 'The agents that can be shown: all of them',
    security: needs('agents:read'),
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents', A2uiAgentList) },
  })
  app.openapi(list, async (c) => {
    const params = { supportedCatalogIds: [BASIC_CATALOG], acceptsInlineCatalogs: false }
    const entries = (await agents.list()).map(({ id, name, description }) => ({
      id,
      name,
      description,
      endpoint: `${root}/agents/${id}`,
      extension: { uri: EXTENSION, params },
    }))
    return c.json({ agents: entries, count: entries.length }, 200)
  })
}
