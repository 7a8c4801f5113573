import { createRoute } from '@hono/zod-openapi'
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { publicAddress } from '../public-address.ts'
import { json, REFUSED, UNAVAILABLE } from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import { MCP_APPS_VERSION, McpUiAgentList, McpUiDescription } from './contract.ts'

const tags = ['mcp-ui']

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
    operationId: 'describeMcpUi',
    summary: 'Read how MCP-UI is spoken here',
    description: 'The versions and kinds of user interfaces, and where what is.',
    security: needs('agents:read'),
    responses: { ...REFUSED, 200: json('The protocol.', McpUiDescription) },
  })
  app.openapi(describe, (c) =>
    c.json(
      {
        protocol: 'mcp-ui' as const,
        description: 'Answers of agents with the user interfaces that their tools bring along (MCP Apps).',
        documentation: 'https://modelcontextprotocol.io/extensions/apps/overview',
        version: MCP_APPS_VERSION,
        versions: [MCP_APPS_VERSION],
        extension: EXTENSION_ID,
        mime_types: [RESOURCE_MIME_TYPE],
        features: ['chat', 'streaming', 'tool_calls', 'ui_resources', 'app_tool_calls'],
        endpoints: {
          agents: `${at}/agents`,
          chat: `${at}/chat/{agent_id}`,
          stream: `${at}/stream/{agent_id}`,
          resources: `${at}/toolsets/{toolset}/resources?uri={uri}`,
          tool_call: `${at}/toolsets/{toolset}/tools/{tool}/call`,
        },
      },
      200,
    ),
  )

  const list = createRoute({
    tags,
    method: 'get',
    path: `${root}/agents`,
    operationId: 'listMcpUiAgents',
    summary: 'List the agents that MCP-UI reaches',
    description: 'All of them, whatever tools they have.',
    security: needs('agents:read'),
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents.', McpUiAgentList) },
  })
  app.openapi(list, async (c) => {
    const found = await agents.list()
    const entries = found.map(({ id, name }) => ({
      id,
      name,
      chat_endpoint: `${at}/chat/${id}`,
      stream_endpoint: `${at}/stream/${id}`,
    }))
    return c.json({ agents: entries, count: entries.length }, 200)
  })
}
