import { z } from '@hono/zod-openapi'
import { AgentSummary } from './contract.ts'

export const ToolsetsStatus = z
  .object({
    initialized: z.boolean().describe('Whether each of them has been tried once.'),
    ready_count: z.int().describe('How many are ready.'),
    total_count: z.int().describe('How many there are.'),
    servers: z
      .record(
        z.string(),
        z.object({
          ready: z.boolean().describe('Whether its tools can be called now.'),
          tools: z.array(z.string()).describe('The names of its tools.'),
          error: z.string().nullable().describe('Why it is not ready; null where nothing went wrong.'),
        }),
      )
      .describe('By the name of the toolset.'),
  })
  .openapi('ToolsetsStatus', {
    description: 'Which toolsets are ready, and why the others are not.',
    example: {
      initialized: true,
      ready_count: 1,
      total_count: 2,
      servers: {
        files: { ready: true, tools: ['read_file', 'write_file'], error: null },
        web: { ready: false, tools: [], error: 'The MCP server "web" could not be reached.' },
      },
    },
  })
export type ToolsetsStatus = z.infer<typeof ToolsetsStatus>

export const ToolsetsInfo = z
  .object({
    toolsets: z
      .array(
        z.object({
          name: z.string().describe('The name of the toolset.'),
          tools: z
            .array(
              z.object({
                name: z.string().describe('The name of the tool; a model knows it as `toolset__tool`.'),
                description: z.string().describe('What the tool does, in the words of its server.'),
                parameters: z.record(z.string(), z.unknown()).describe('The JSON Schema of its arguments.'),
                ui_resource_uri: z
                  .string()
                  .optional()
                  .describe('Where its user interface is, where it has one (MCP Apps): `ui://…`.'),
              }),
            )
            .describe('None while it is not ready.'),
        }),
      )
      .describe('In the order of the configuration.'),
  })
  .openapi('ToolsetsInfo', {
    description: 'The tools of each toolset.',
    example: {
      toolsets: [
        {
          name: 'files',
          tools: [
            {
              name: 'read_file',
              description: 'Read a file.',
              parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
            },
          ],
        },
      ],
    },
  })

export const McpServer = z
  .object({
    name: z.string().describe('The name of the toolset.'),
    transport: z
      .enum(['stdio', 'http', 'sse', 'embedded'])
      .describe('How it is reached; `embedded`: a service of the same process.'),
    command: z.string().optional().describe('The program that is started.'),
    url: z.string().optional().describe('Its address, without a query.'),
    env: z.array(z.string()).optional().describe('Names of variables, never their values.'),
    headers: z.array(z.string()).optional().describe('Names of headers, never their values.'),
  })
  .openapi('McpServer', { description: 'An MCP server whose tools are a toolset.' })
export type McpServer = z.infer<typeof McpServer>

const ModelListing = z
  .object({
    id: z.string().describe('`provider:model`; `provider:*` stands for any model of the provider.'),
    name: z.string().describe('The name that people see.'),
    available: z
      .boolean()
      .describe('Whether the variables that it needs are set here. Nobody was asked whether they are right.'),
    requires: z.array(z.string()).describe('The names of those variables.'),
  })
  .openapi('ModelListing', { description: 'A model that agents can have.' })

export const Configuration = z
  .object({
    agents: z.array(AgentSummary).describe('All agents.'),
    mcp_servers: z.array(McpServer).describe('The MCP servers of the toolsets.'),
    models: z.array(ModelListing).describe('The models that are known by name, and the providers.'),
  })
  .openapi('Configuration', {
    description: 'What there is here. No secret is among it.',
    example: {
      agents: [
        {
          id: 'guide',
          name: 'Guide',
          description: 'A rule-based guide that needs no key.',
          transport: 'streaming',
          model: 'builtin:guide',
          mcp_toolsets: ['*'],
          tool_approval: false,
        },
      ],
      mcp_servers: [{ name: 'files', transport: 'stdio', command: 'npx', env: [] }],
      models: [
        {
          id: 'builtin:guide',
          name: 'Guide (built in, rule-based, no key)',
          available: true,
          requires: [],
        },
        { id: 'openai:*', name: 'OpenAI, any model', available: false, requires: ['OPENAI_API_KEY'] },
      ],
    },
  })
