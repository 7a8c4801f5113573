import { createRoute } from '@hono/zod-openapi'
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { json, REFUSED, UNAVAILABLE } from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import { MCP_APPS_VERSION, McpUiAgentList, McpUiDescription } from './contract.ts'

const tags = ['mcp-ui']

export function mountDescription(
  app: ServiceApp,
  root: string,
  { agents }: Pick<RuntimeParts, 'agents'>,
): void {
  const describe = createRoute({
    tags,
    method: 'get',
    path: root,
    operationId: 'describeMcpUi',
    summary: 'What is spoken here, and where',
    security: needs('agents:read'),
    responses: { ...REFUSED, 200: json('The protocol', McpUiDescription) },
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
          agents: `${root}/agents`,
          chat: `${root}/chat/{agent_id}`,
          stream: `${root}/stream/{agent_id}`,
          resources: `${root}/toolsets/{toolset}/resources?uri={uri}`,
          tool_call: `${root}/toolsets/{toolset}/tools/{tool}/call`,
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
    summary: 'The agents that can be asked: all of them',
    security: needs('agents:read'),
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents', McpUiAgentList) },
  })
  app.openapi(list, async (c) => {
    const found = await agents.list()
    const entries = found.map(({ id, name }) => ({
      id,
      name,
      chat_endpoint: `${root}/chat/${id}`,
      stream_endpoint: `${root}/stream/${id}`,
    }))
    return c.json({ agents: entries, count: entries.length }, 200)
  })
}
