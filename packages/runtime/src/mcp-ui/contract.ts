import { z } from 'zod'
import { ConversationId, Prompt } from '../contract.ts'
import { anyObject, flag, object } from '../request-fields.ts'

/** https://github.com/modelcontextprotocol/ext-apps: the date of the specification that is spoken here. */
export const MCP_APPS_VERSION = '2026-01-26'

export const McpUiDescription = z.object({
  protocol: z.literal('mcp-ui'),
  description: z.string(),
  documentation: z.string(),
  version: z.string(),
  versions: z.array(z.string()),
  extension: z.string(),
  mime_types: z.array(z.string()),
  features: z.array(z.string()),
  endpoints: z.record(z.string(), z.string()),
})

export const McpUiAgentList = z.object({
  agents: z.array(
    z.object({ id: z.string(), name: z.string(), chat_endpoint: z.string(), stream_endpoint: z.string() }),
  ),
  count: z.int(),
})

export const McpUiPrompt = object({
  message: Prompt.shape.message,
  session_id: ConversationId.nullish(),
  ui_options: object({ embed_resources: flag().optional() }).nullish(),
})
export type McpUiPrompt = z.infer<typeof McpUiPrompt>

const ToolResult = z.record(z.string(), z.unknown())

/** A page of HTML as MCP has it; without `text` and `blob` it can be read by its URI. */
const UiResource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

const toolCall = { id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) }
const toolResult = { tool_call_id: z.string(), name: z.string().optional(), result: ToolResult }
const resource = {
  resource: UiResource,
  tool_call_id: z.string(),
  toolset: z.string().optional(),
  error: z.string().optional(),
}

export const McpUiAnswer = z.object({
  role: z.literal('assistant'),
  content: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('tool_result'), ...toolResult }),
      z.object({ type: z.literal('resource'), ...resource }),
      z.object({ type: z.literal('approval_request'), ...toolCall }),
    ]),
  ),
  session_id: z.string(),
})

/** One line of a stream. */
export const McpUiEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), session_id: z.string() }),
  z.object({ type: z.literal('delta'), delta: z.string() }),
  z.object({ type: z.literal('tool_call'), tool_call: z.object(toolCall) }),
  z.object({ type: z.literal('tool_result'), tool_result: z.object(toolResult) }),
  z.object({ type: z.literal('resource'), ...resource }),
  z.object({ type: z.literal('approval_request'), approval_request: z.object(toolCall) }),
  z.object({ type: z.literal('complete'), session_id: z.string() }),
  z.object({ type: z.literal('error'), error: z.string(), status_code: z.int() }),
])
export type McpUiEvent = z.infer<typeof McpUiEvent>

export const UiResourceRead = z.object({ contents: z.array(UiResource) })

export const UiToolCall = object({ arguments: anyObject().optional() })

export const UiToolResult = z.looseObject({ content: z.array(z.unknown()) })
