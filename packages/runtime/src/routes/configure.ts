import { createRoute } from '@hono/zod-openapi'
import type { Tool } from '@modelcontextprotocol/client'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { Configuration, ToolsetsInfo, ToolsetsStatus } from '../configuration-contract.ts'
import { uiResourceOf } from '../mcp-ui/tool-ui.ts'
import { toAgentSummary } from './agent-view.ts'
import { json, REFUSED, UNAVAILABLE } from './declare.ts'
import type { RuntimeParts } from './parts.ts'

type ConfigureParts = Pick<RuntimeParts, 'agents' | 'models' | 'toolsets' | 'mcpServers' | 'redactor'>

const tags = ['configure']
const security = needs('agents:read')

export function mountConfigure(app: ServiceApp, prefix: string, parts: ConfigureParts): void {
  const { agents, models, toolsets, mcpServers, redactor } = parts

  const config = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/configure/config`,
    operationId: 'getConfiguration',
    summary: 'Read the configuration',
    description:
      'The agents, the MCP servers and the models that there are, and which models can be used here. No secret is among them.',
    security,
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The configuration.', Configuration) },
  })
  app.openapi(config, async (c) => {
    const body = {
      agents: (await agents.list()).map(toAgentSummary),
      mcp_servers: [...mcpServers],
      models: models.list().map((model) => ({ ...model, requires: [...model.requires] })),
    }
    return c.json(body, 200)
  })

  const status = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/configure/mcp-toolsets-status`,
    operationId: 'getToolsetsStatus',
    summary: 'Read the status of the toolsets',
    description:
      'Which are ready, and why the others are not. They start in the background, and are tried again.',
    security,
    responses: { ...REFUSED, 200: json('The status.', ToolsetsStatus) },
  })
  app.openapi(status, (c) => {
    const { initialized, servers } = toolsets.status()
    const entries = Object.entries(servers)
    const body: ToolsetsStatus = {
      initialized,
      ready_count: entries.filter(([, { ready }]) => ready).length,
      total_count: entries.length,
      servers: Object.fromEntries(
        entries.map(([name, { ready, tools, error }]) => [
          name,
          { ready, tools: [...tools], error: error === undefined ? null : redactor.text(error) },
        ]),
      ),
    }
    return c.json(body, 200)
  })

  const info = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/configure/mcp-toolsets-info`,
    operationId: 'getToolsetsInfo',
    summary: 'List the tools of each toolset',
    description:
      'With the schemas of their arguments, and where their user interfaces are. A toolset that is not ready shows none.',
    security,
    responses: { ...REFUSED, 200: json('The toolsets.', ToolsetsInfo) },
  })
  app.openapi(info, (c) => {
    const all = toolsets.tools()
    const body = {
      toolsets: toolsets.names.map((name) => ({
        name,
        tools: all.filter(({ toolset }) => toolset === name).map(({ tool }) => toTool(tool)),
      })),
    }
    return c.json(body, 200)
  })
}

function toTool(tool: Tool) {
  const uri = uiResourceOf(tool)
  return {
    name: tool.name,
    description: tool.description ?? '',
    parameters: { ...tool.inputSchema },
    ...(uri !== undefined && { ui_resource_uri: uri }),
  }
}
