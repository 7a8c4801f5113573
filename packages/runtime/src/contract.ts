import { z } from '@hono/zod-openapi'
import { choice, flag, list, name, object, text, wholeNumber } from '@quire/kit/app/request-fields'
import { TRANSPORTS } from './agents/agent-record.ts'
import { anyObject } from './any-object.ts'

/** The body of every error. */
export const Failure = z
  .object({
    detail: z.string().describe('What happened, why, and what to do next.'),
    status_code: z.int().describe('The status of the answer.'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('Where the fault is, such as `body.mcp_toolsets[0]`.'),
          message: z.string().describe('What is wrong with it.'),
        }),
      )
      .optional()
      .describe('The faults one by one, where something is of the wrong shape.'),
  })
  .openapi('Failure', { description: 'The body of every error.' })
export type Failure = z.infer<typeof Failure>

export const Message = z
  .object({ message: z.string().describe('What was done.') })
  .openapi('Message', { description: 'A sentence about what was done.' })

export const Health = z
  .object({
    status: z.literal('healthy').describe('There is no other: what is not healthy does not answer.'),
    version: z.string().describe('The release of the service.'),
  })
  .openapi('Health', {
    description: 'The service is alive.',
    example: { status: 'healthy', version: '0.1.0' },
  })
export const Ready = z
  .object({ status: z.literal('ready').describe('It takes requests.') })
  .openapi('Ready', { description: 'The service takes requests.', example: { status: 'ready' } })
export const NotReady = Failure.extend({
  reasons: z.array(z.string()).describe('What is missing, one sentence each.'),
}).openapi('NotReady', {
  description: 'Why the service takes no requests now.',
  example: {
    detail: 'The toolset "files" is not ready.',
    status_code: 503,
    reasons: ['The toolset "files" is not ready.'],
  },
})

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

const ABOUT = Object.freeze({
  id: 'The id of the agent, as it stands in addresses.',
  name: 'The name that people see.',
  description: 'What the agent is for, in a sentence or two.',
  transport: 'What its clients like best. Every agent can be reached in every way.',
  model: '`provider:model`, such as `anthropic:claude-sonnet-4-5` or `builtin:guide`.',
  system_prompt: 'What the model is told before every conversation.',
  mcp_toolsets: `Names of toolsets whose tools it has; \`${ALL_TOOLSETS}\` is all of them, also later ones.`,
  max_steps: 'How often the model is asked in one turn at the most.',
  tool_approval:
    'Whether a person decides before each call of a tool. The service may ask by itself before code is run on its own machine.',
})

const agentFields = {
  name: text(LONGEST_NAME).optional().describe(ABOUT.name),
  description: text(LONGEST_DESCRIPTION, 0).optional().describe(ABOUT.description),
  transport: choice(TRANSPORTS).optional().describe(ABOUT.transport),
  model: Model.optional().describe(ABOUT.model),
  system_prompt: text(LONGEST_PROMPT, 0).optional().describe(ABOUT.system_prompt),
  mcp_toolsets: list(ToolsetName, MOST_TOOLSETS).optional().describe(ABOUT.mcp_toolsets),
  max_steps: wholeNumber(1, MOST_STEPS).optional().describe(ABOUT.max_steps),
  tool_approval: flag().optional().describe(ABOUT.tool_approval),
}

export const NewAgent = object({
  id: AgentId.optional().describe('Made from the name where it is absent.'),
  ...agentFields,
  name: text(LONGEST_NAME).describe(ABOUT.name),
}).openapi('NewAgent', {
  description: 'An agent to be made. Only `name` is needed.',
  example: {
    id: 'data-analyst',
    name: 'Data analyst',
    model: 'builtin:guide',
    system_prompt: 'Answer briefly.',
    mcp_toolsets: [ALL_TOOLSETS],
  },
})
export type NewAgent = z.infer<typeof NewAgent>

export const AgentChanges = object({
  id: text(LONGEST_NAME).optional().describe('The one of the address: an id cannot be changed.'),
  ...agentFields,
}).openapi('AgentChanges', {
  description: 'What is to be another; the rest stays as it is.',
  example: { system_prompt: 'Answer in one sentence.', max_steps: 10 },
})
export type AgentChanges = z.infer<typeof AgentChanges>

const time = (about: string) => z.string().openapi({ format: 'date-time', description: about })
const Transport = z.enum(TRANSPORTS)

const SUMMARY_EXAMPLE = {
  id: 'data-analyst',
  name: 'Data analyst',
  description: '',
  transport: 'streaming' as const,
  model: 'builtin:guide',
  mcp_toolsets: [ALL_TOOLSETS],
  tool_approval: false,
}

export const AgentSummary = z
  .object({
    id: z.string().describe(ABOUT.id),
    name: z.string().describe(ABOUT.name),
    description: z.string().describe(ABOUT.description),
    transport: Transport.describe(ABOUT.transport),
    model: z.string().describe(ABOUT.model),
    mcp_toolsets: z.array(z.string()).describe(ABOUT.mcp_toolsets),
    tool_approval: z.boolean().describe(ABOUT.tool_approval),
  })
  .openapi('AgentSummary', { description: 'An agent in a list.', example: SUMMARY_EXAMPLE })
export type AgentSummary = z.infer<typeof AgentSummary>

export const Agent = AgentSummary.extend({
  system_prompt: z.string().describe(ABOUT.system_prompt),
  max_steps: z.int().describe(ABOUT.max_steps),
  created_at: time('When it was made.'),
  updated_at: time('When it was last changed.'),
}).openapi('Agent', {
  description: 'An agent: a model with instructions and tools.',
  example: {
    ...SUMMARY_EXAMPLE,
    system_prompt: 'Answer briefly.',
    max_steps: 20,
    created_at: '2026-11-15T14:00:00.000Z',
    updated_at: '2026-11-15T14:00:00.000Z',
  },
})
export type Agent = z.infer<typeof Agent>

export const AgentList = z
  .object({ agents: z.array(AgentSummary).describe('In the order in which they were made.') })
  .openapi('AgentList', { description: 'All agents.', example: { agents: [SUMMARY_EXAMPLE] } })

export const Prompt = object({
  message: text(LONGEST_PROMPT).describe('What the agent is asked.'),
  conversation_id: ConversationId.nullish().describe(
    'The conversation to go on with. One that does not exist is opened under this name; without it a new one gets a name by chance.',
  ),
  on_disconnect: choice(['continue', 'cancel'])
    .default('continue')
    .describe('What becomes of the turn when whoever asked goes before it is over.'),
}).openapi('Prompt', {
  description: 'A question to an agent. Only `message` is needed.',
  example: { message: 'What can you do?', conversation_id: 'my-first' },
})
export type Prompt = z.infer<typeof Prompt>

export const Decision = object({
  approved: flag().describe('Whether the call is to be made.'),
  args: anyObject(
    'The arguments of the call in place of those of the model. Only with `approved: true`.',
  ).optional(),
  reason: text(LONGEST_DESCRIPTION, 0)
    .optional()
    .describe('Why it is refused, which the model is told. Only with `approved: false`.'),
})
  .refine(({ approved, args }) => approved || args === undefined, {
    path: ['args'],
    error: 'are of no use with a call that is refused: leave them out',
  })
  .refine(({ approved, reason }) => !approved || reason === undefined, {
    path: ['reason'],
    error: 'is told to the model when a call is refused: leave it out',
  })
  .openapi('Decision', {
    description: 'What a person has decided on the call of a tool.',
    example: { approved: true },
  })

export const Decided = z
  .object({
    message: z.string().describe('What was done.'),
    conversation_id: z.string().describe('The conversation of the call.'),
    status: z
      .enum(['running', 'waiting'])
      .describe(
        '`running`: the turn goes on and can be joined. `waiting`: for the decision on another call.',
      ),
  })
  .openapi('Decided', {
    description: 'The decision is stored.',
    example: {
      message: 'The call is approved. The turn goes on.',
      conversation_id: 'my-first',
      status: 'running',
    },
  })

export const Usage = z
  .object({
    prompt_tokens: z.int().describe('Tokens that the model was sent.'),
    completion_tokens: z.int().describe('Tokens that it wrote.'),
    cache_read_tokens: z.int().optional().describe('Of the prompt: those that the provider still had.'),
    cache_write_tokens: z
      .int()
      .optional()
      .describe('Of the prompt: those that the provider keeps for later.'),
    reasoning_tokens: z.int().optional().describe('Of the answer: those of thoughts that are not shown.'),
    cost_usd: z.number().optional().describe('In US dollars, where the price is known.'),
  })
  .openapi('Usage', {
    description: 'What the model was sent and wrote, and what it cost.',
    example: { prompt_tokens: 812, completion_tokens: 64, cost_usd: 0.0034 },
  })
export type Usage = z.infer<typeof Usage>

/** What a tool answered, as MCP has it. */
export const ToolResult = z.record(z.string(), z.unknown()).openapi('ToolResult', {
  description: 'What a tool answered, as MCP has it: `content`, `isError` and so on.',
})

export const ToolCall = z
  .object({
    id: z.string().describe('The id of the call.'),
    name: z.string().describe('The tool, as `toolset__tool`.'),
    args: z.record(z.string(), z.unknown()).describe('The arguments of the call.'),
    result: ToolResult.optional(),
    status: z
      .enum(['complete', 'waiting', 'running'])
      .optional()
      .describe(
        '`complete`: it has a result; `waiting`: a person has to decide; `running`: not yet answered.',
      ),
  })
  .openapi('ToolCall', { description: 'A call of a tool; without `result` while it has none.' })
export type ToolCall = z.infer<typeof ToolCall>

export const Answer = z
  .object({
    response: z.string().describe('The text of the answer.'),
    tool_calls: z.array(ToolCall).describe('The calls of tools, in their order.'),
    usage: Usage,
    conversation_id: z.string().describe('The conversation of the prompt.'),
    status: z
      .enum(['complete', 'waiting'])
      .describe("`waiting`: for a person's decision on the calls without a result."),
  })
  .openapi('Answer', {
    description: 'The whole answer to a prompt.',
    example: {
      response: 'It is sunny in Bern.',
      tool_calls: [
        {
          id: 'call_1',
          name: 'app__weather',
          args: { city: 'Bern' },
          result: { content: [{ type: 'text', text: 'Sunny' }] },
        },
      ],
      usage: { prompt_tokens: 812, completion_tokens: 64, cost_usd: 0.0034 },
      conversation_id: 'my-first',
      status: 'complete',
    },
  })
export type Answer = z.infer<typeof Answer>
