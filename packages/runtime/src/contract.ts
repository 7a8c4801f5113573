import { z } from 'zod'
import { TRANSPORTS } from './agents/agent-record.ts'
import { anyObject, choice, flag, list, name, object, text, wholeNumber } from './request-fields.ts'

/** The body of every error. */
export const Failure = z.object({
  detail: z.string(),
  status_code: z.int(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type Failure = z.infer<typeof Failure>

export const Message = z.object({ message: z.string() })

export const Health = z.object({ status: z.literal('healthy'), version: z.string() })
export const Ready = z.object({ status: z.literal('ready') })
export const NotReady = Failure.extend({ reasons: z.array(z.string()) })

const LONGEST_NAME = 128
const LONGEST_DESCRIPTION = 4_096
const LONGEST_PROMPT = 1024 * 1024
const MOST_TOOLSETS = 64
const MOST_STEPS = 100

export const AgentId = name(64)
export const ConversationId = name(128)
/** All toolsets that there are, also later ones. */
export const ALL_TOOLSETS = '*'

const Model = text(256).regex(/^[a-z0-9][a-z0-9-]*:\S+$/, {
  error: 'must be "provider:model", such as "openai:gpt-5" or "builtin:guide"',
})
const ToolsetName = z.union([z.literal(ALL_TOOLSETS), name(64)], {
  error: `must be the name of a toolset, or "${ALL_TOOLSETS}" for all of them`,
})

const agentFields = {
  name: text(LONGEST_NAME).optional(),
  description: text(LONGEST_DESCRIPTION, 0).optional(),
  transport: choice(TRANSPORTS).optional(),
  model: Model.optional(),
  system_prompt: text(LONGEST_PROMPT, 0).optional(),
  mcp_toolsets: list(ToolsetName, MOST_TOOLSETS).optional(),
  max_steps: wholeNumber(1, MOST_STEPS).optional(),
  tool_approval: flag().optional(),
}

export const NewAgent = object({ id: AgentId.optional(), ...agentFields, name: text(LONGEST_NAME) })
export type NewAgent = z.infer<typeof NewAgent>

export const AgentChanges = object({ id: text(LONGEST_NAME).optional(), ...agentFields })
export type AgentChanges = z.infer<typeof AgentChanges>

const Transport = z.enum(TRANSPORTS)

export const AgentSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  transport: Transport,
  model: z.string(),
})
export type AgentSummary = z.infer<typeof AgentSummary>

export const Agent = AgentSummary.extend({
  system_prompt: z.string(),
  mcp_toolsets: z.array(z.string()),
  max_steps: z.int(),
  tool_approval: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Agent = z.infer<typeof Agent>

export const AgentList = z.object({ agents: z.array(AgentSummary) })

export const Prompt = object({
  message: text(LONGEST_PROMPT),
  conversation_id: ConversationId.nullish(),
  on_disconnect: choice(['continue', 'cancel']).default('continue'),
})
export type Prompt = z.infer<typeof Prompt>

export const Decision = object({
  approved: flag(),
  args: anyObject().optional(),
  reason: text(LONGEST_DESCRIPTION, 0).optional(),
})
  .refine(({ approved, args }) => approved || args === undefined, {
    path: ['args'],
    error: 'are of no use with a call that is refused: leave them out',
  })
  .refine(({ approved, reason }) => !approved || reason === undefined, {
    path: ['reason'],
    error: 'is told to the model when a call is refused: leave it out',
  })

export const Decided = z.object({
  message: z.string(),
  conversation_id: z.string(),
  /** `waiting`: for the decision on another call. */
  status: z.enum(['running', 'waiting']),
})

export const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cache_read_tokens: z.int().optional(),
  cache_write_tokens: z.int().optional(),
  reasoning_tokens: z.int().optional(),
  cost_usd: z.number().optional(),
})
export type Usage = z.infer<typeof Usage>

/** What a tool answered, as MCP has it. */
const ToolResult = z.record(z.string(), z.unknown())

export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: ToolResult.optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

export const Answer = z.object({
  response: z.string(),
  tool_calls: z.array(ToolCall),
  usage: Usage,
  conversation_id: z.string(),
  /** `waiting`: for a person's decision on the calls without a result. */
  status: z.enum(['complete', 'waiting']),
})
export type Answer = z.infer<typeof Answer>

/** One `data:` line of a streamed prompt. */
export const StreamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), args: ToolCall.shape.args }),
  z.object({ type: z.literal('tool_result'), tool_call_id: z.string(), result: ToolResult }),
  z.object({
    type: z.literal('approval_request'),
    id: z.string(),
    name: z.string(),
    args: ToolCall.shape.args,
  }),
  z.object({
    type: z.literal('usage'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_usd: z.number().optional(),
  }),
  z.object({ type: z.literal('error'), detail: z.string(), status_code: z.int() }),
  z.object({ type: z.literal('done') }),
])

export const ConversationSummary = z.object({
  id: z.string(),
  agent_id: z.string(),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(['running', 'idle', 'waiting', 'cancelled', 'failed', 'interrupted']),
  usage: Usage,
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

export const ConversationMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  /** Of a tool: the texts of its answer; all of it is in `result`. */
  content: z.string(),
  created_at: z.string(),
  tool_calls: z.array(ToolCall.omit({ result: true })).optional(),
  tool_call_id: z.string().optional(),
  result: ToolResult.optional(),
  usage: Usage.optional(),
  status: z.enum(['complete', 'partial']),
})
export type ConversationMessage = z.infer<typeof ConversationMessage>

export const Conversation = ConversationSummary.extend({ messages: z.array(ConversationMessage) })

export const ConversationList = z.object({
  conversations: z.array(ConversationSummary),
  total: z.int(),
  /** Null where none was asked for: all of them are there. */
  limit: z.int().nullable(),
  offset: z.int(),
})

export const ToolsetsStatus = z.object({
  initialized: z.boolean(),
  ready_count: z.int(),
  total_count: z.int(),
  servers: z.record(
    z.string(),
    z.object({ ready: z.boolean(), tools: z.array(z.string()), error: z.string().nullable() }),
  ),
})
export type ToolsetsStatus = z.infer<typeof ToolsetsStatus>

export const ToolsetsInfo = z.object({
  toolsets: z.array(
    z.object({
      name: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
  ),
})

export const McpServer = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http', 'sse', 'embedded']),
  command: z.string().optional(),
  /** Without a query. */
  url: z.string().optional(),
  /** Names of variables, never their values. */
  env: z.array(z.string()).optional(),
  /** Names of headers, never their values. */
  headers: z.array(z.string()).optional(),
})
export type McpServer = z.infer<typeof McpServer>

export const Configuration = z.object({
  agents: z.array(AgentSummary),
  mcp_servers: z.array(McpServer),
  models: z.array(
    z.object({ id: z.string(), name: z.string(), available: z.boolean(), requires: z.array(z.string()) }),
  ),
})
