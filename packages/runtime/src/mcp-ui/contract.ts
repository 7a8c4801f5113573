import { z } from '@hono/zod-openapi'
import { flag, object, text } from '@quire/kit/app/request-fields'
import { anyObject } from '../any-object.ts'
import { Prompt, ToolCall, ToolResult } from '../contract.ts'

/** https://github.com/modelcontextprotocol/ext-apps: the date of the specification that is spoken here. */
export const MCP_APPS_VERSION = '2026-01-26'

/** Other people name tools. */
export const LONGEST_TOOL_NAME = 1_024
const ROOT = '/api/v1/mcp-ui'

export const McpUiDescription = z
  .object({
    protocol: z.literal('mcp-ui').describe('The name of the protocol.'),
    description: z.string().describe('What it is.'),
    documentation: z.string().describe('Where MCP Apps are described.'),
    version: z.string().describe('The date of the specification that is spoken here.'),
    versions: z.array(z.string()).describe('Those that are spoken here.'),
    extension: z.string().describe('The name of the extension in MCP.'),
    mime_types: z.array(z.string()).describe('Of the user interfaces that can be shown.'),
    features: z.array(z.string()).describe('What can be done.'),
    endpoints: z
      .record(z.string(), z.string())
      .describe('What there is, by name; what stands in braces is to be filled in.'),
  })
  .openapi('McpUiProtocol', {
    description: 'How MCP-UI is spoken here.',
    example: {
      protocol: 'mcp-ui',
      description: 'Answers of agents with the user interfaces that their tools bring along (MCP Apps).',
      documentation: 'https://modelcontextprotocol.io/extensions/apps/overview',
      version: MCP_APPS_VERSION,
      versions: [MCP_APPS_VERSION],
      extension: 'io.modelcontextprotocol/ui',
      mime_types: ['text/html;profile=mcp-app'],
      features: ['chat', 'streaming', 'tool_calls', 'ui_resources', 'app_tool_calls'],
      endpoints: { agents: `${ROOT}/agents`, chat: `${ROOT}/chat/{agent_id}` },
    },
  })

export const McpUiAgentList = z
  .object({
    agents: z
      .array(
        z.object({
          id: z.string().describe('The id of the agent.'),
          name: z.string().describe('The name that people see.'),
          chat_endpoint: z.string().describe('Where it gives whole answers.'),
          stream_endpoint: z.string().describe('Where its answers are read as they come.'),
        }),
      )
      .describe('All agents.'),
    count: z.int().describe('How many there are.'),
  })
  .openapi('McpUiAgentList', {
    description: 'The agents that can be asked.',
    example: {
      agents: [
        {
          id: 'guide',
          name: 'Guide',
          chat_endpoint: `${ROOT}/chat/guide`,
          stream_endpoint: `${ROOT}/stream/guide`,
        },
      ],
      count: 1,
    },
  })

export const McpUiPrompt = object({
  message: Prompt.shape.message,
  session_id: Prompt.shape.conversation_id,
  ui_options: object({
    embed_resources: flag()
      .optional()
      .describe('Whether the pages themselves come along; true by default. Otherwise they are only named.'),
  })
    .nullish()
    .describe('How user interfaces are to come.'),
}).openapi('McpUiPrompt', {
  description: 'A question to an agent. Only `message` is needed.',
  example: { message: 'What can you do?', session_id: 'my-first' },
})
export type McpUiPrompt = z.infer<typeof McpUiPrompt>

const UiResource = z
  .looseObject({
    uri: z.string().describe('Its URI, which begins with `ui://`.'),
    mimeType: z.string().optional().describe('What it is.'),
    text: z.string().optional().describe('The page.'),
    blob: z.string().optional().describe('The page in Base64.'),
    _meta: z.record(z.string(), z.unknown()).optional().describe('What the server says of how to show it.'),
  })
  .openapi('UiResource', {
    description: 'A page of HTML as MCP has it; without `text` and `blob` it can be read by its URI.',
  })

const callId = { tool_call_id: z.string().describe('The id of the call.') }
const toolCall = { id: ToolCall.shape.id, name: ToolCall.shape.name, args: ToolCall.shape.args }
const toolResult = { ...callId, name: ToolCall.shape.name.optional(), result: ToolResult }
const resource = {
  resource: UiResource,
  ...callId,
  toolset: z.string().optional().describe('The toolset of the tool, where more of its pages can be read.'),
  error: z.string().optional().describe('Why the page could not be read.'),
}
const TYPE = 'What kind of part this is.'
const EVENT_TYPE = 'What kind of event this is.'
const session = { session_id: z.string().describe('The conversation of the prompt.') }

export const McpUiAnswer = z
  .object({
    role: z.literal('assistant').describe('Who answers.'),
    content: z
      .array(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('text').describe(TYPE), text: z.string().describe('The text.') }),
          z.object({ type: z.literal('tool_result').describe(TYPE), ...toolResult }),
          z.object({ type: z.literal('resource').describe(TYPE), ...resource }),
          z.object({ type: z.literal('approval_request').describe(TYPE), ...toolCall }),
        ]),
      )
      .describe('In the order in which it came.'),
    ...session,
  })
  .openapi('McpUiAnswer', {
    description: 'The whole answer to a prompt, with the user interfaces of its tools.',
    example: {
      role: 'assistant',
      content: [
        {
          type: 'tool_result',
          tool_call_id: 'call_1',
          name: 'app__weather',
          result: { content: [{ type: 'text', text: 'Sunny' }] },
        },
        {
          type: 'resource',
          resource: {
            uri: 'ui://weather/view.html',
            mimeType: 'text/html;profile=mcp-app',
            text: '<!doctype html>…',
          },
          tool_call_id: 'call_1',
          toolset: 'app',
        },
        { type: 'text', text: 'It is sunny in Bern.' },
      ],
      session_id: 'my-first',
    },
  })

/** One line of a stream. */
export const McpUiEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('start').describe(EVENT_TYPE), ...session }),
    z.object({
      type: z.literal('delta').describe(EVENT_TYPE),
      delta: z.string().describe('A fragment of the answer.'),
    }),
    z.object({
      type: z.literal('tool_call').describe(EVENT_TYPE),
      tool_call: z.object(toolCall).describe('The model calls a tool.'),
    }),
    z.object({
      type: z.literal('tool_result').describe(EVENT_TYPE),
      tool_result: z.object(toolResult).describe('What the tool answered.'),
    }),
    z.object({ type: z.literal('resource').describe(EVENT_TYPE), ...resource }),
    z.object({
      type: z.literal('approval_request').describe(EVENT_TYPE),
      approval_request: z.object(toolCall).describe('A call that waits until a person has decided on it.'),
    }),
    z.object({ type: z.literal('complete').describe(EVENT_TYPE), ...session }),
    z.object({
      type: z.literal('error').describe(EVENT_TYPE),
      error: z.string().describe('What happened, why, and what to do next.'),
      status_code: z.int().describe('The status that the whole answer would have had.'),
    }),
  ])
  .openapi('McpUiEvent', { description: 'One line of a stream. The last is `complete` or `error`.' })
export type McpUiEvent = z.infer<typeof McpUiEvent>

export const UiResourceRead = z
  .object({ contents: z.array(UiResource).describe('The page.') })
  .openapi('UiResourceRead', {
    description: 'What `resources/read` of MCP answers.',
    example: {
      contents: [
        { uri: 'ui://weather/view.html', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>…' },
      ],
    },
  })

export const UiToolCall = object({
  arguments: anyObject('The arguments of the tool.').optional(),
  session_id: Prompt.shape.conversation_id
    .unwrap()
    .optional()
    .describe('The conversation that shows the user interface. Absent: any of yours.'),
  shown_by: text(LONGEST_TOOL_NAME)
    .optional()
    .describe(
      'The tool whose call shows the user interface, as the agent called it. Needed where the toolset offers the tools of several servers as one: only those of the same server can be called.',
    ),
}).openapi('UiToolCall', {
  description: 'A call of a tool for a user interface.',
  example: { arguments: { city: 'Bern' }, shown_by: 'app__weather' },
})

export const UiToolResult = z
  .looseObject({ content: z.array(z.unknown()).describe('The blocks of the answer, as MCP has them.') })
  .openapi('UiToolResult', {
    description: 'What the tool answered, as MCP has it.',
    example: { content: [{ type: 'text', text: 'Sunny' }] },
  })
