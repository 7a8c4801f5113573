import { z } from '@hono/zod-openapi'
import { ToolCall, ToolResult, Usage } from './contract.ts'

const TYPE = 'What kind of frame this is.'
const call = {
  id: ToolCall.shape.id,
  name: ToolCall.shape.name,
  args: ToolCall.shape.args,
}

/** One `data:` line of a streamed prompt. */
export const StreamFrame = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('text').describe(TYPE),
        content: z.string().describe('A fragment of the answer.'),
      })
      .openapi('TextFrame', { description: 'A fragment of the answer.' }),
    z
      .object({ type: z.literal('tool_call').describe(TYPE), ...call })
      .openapi('ToolCallFrame', { description: 'The model calls a tool.' }),
    z
      .object({
        type: z.literal('tool_result').describe(TYPE),
        tool_call_id: z.string().describe('The id of the call.'),
        result: ToolResult,
      })
      .openapi('ToolResultFrame', { description: 'What the tool answered.' }),
    z
      .object({ type: z.literal('approval_request').describe(TYPE), ...call })
      .openapi('ApprovalRequestFrame', {
        description: 'A call that waits until a person has decided on it.',
      }),
    z
      .object({
        type: z.literal('usage').describe(TYPE),
        prompt_tokens: Usage.shape.prompt_tokens,
        completion_tokens: Usage.shape.completion_tokens,
        cost_usd: Usage.shape.cost_usd,
      })
      .openapi('UsageFrame', { description: 'What the turn has used.' }),
    z
      .object({
        type: z.literal('error').describe(TYPE),
        detail: z.string().describe('What happened, why, and what to do next.'),
        status_code: z.int().describe('The status that the whole answer would have had.'),
        retry_after: z.int().optional().describe('After so many seconds it may be tried again.'),
      })
      .openapi('ErrorFrame', {
        description:
          'The turn failed, or was cancelled (409), or the stream was ended. `done` comes after it.',
      }),
    z
      .object({ type: z.literal('done').describe(TYPE) })
      .openapi('DoneFrame', { description: 'The last frame.' }),
  ])
  .openapi('StreamFrame', { description: 'The `data:` of one event of a stream.' })

/** A stream as it goes over the wire. */
export const FRAMES = `id: 0199f3c2.1.12
data: {"type":"text","content":"Let me see. "}

id: 0199f3c2.2.0
data: {"type":"tool_call","id":"call_1","name":"app__weather","args":{"city":"Bern"}}

id: 0199f3c2.3.0
data: {"type":"tool_result","tool_call_id":"call_1","result":{"content":[{"type":"text","text":"Sunny"}]}}

id: 0199f3c2.4.20
data: {"type":"text","content":"It is sunny in Bern."}

id: 0199f3c2.5.0
data: {"type":"usage","prompt_tokens":812,"completion_tokens":64,"cost_usd":0.0034}

id: 0199f3c2.7.0
data: {"type":"done"}

`

const time = (about: string) => z.string().openapi({ format: 'date-time', description: about })

export const ConversationSummary = z
  .object({
    id: z.string().describe('The id of the conversation.'),
    agent_id: z.string().describe('Its agent. It may be gone by now.'),
    title: z.string().describe('The beginning of the first message.'),
    created_at: time('When it was opened.'),
    updated_at: time('When it was last used.'),
    status: z
      .enum(['running', 'idle', 'waiting', 'cancelled', 'failed', 'interrupted'])
      .describe(
        'How its last turn stands: `running`; `idle`, it is complete; `waiting` for decisions on calls of tools; `cancelled`; `failed`; `interrupted`, the process that ran it ended.',
      ),
    usage: Usage,
  })
  .openapi('ConversationSummary', { description: 'A conversation in a list, without its messages.' })
export type ConversationSummary = z.infer<typeof ConversationSummary>

export const ConversationMessage = z
  .object({
    id: z.string().describe('The id of the message.'),
    role: z.enum(['user', 'assistant', 'tool']).describe('Who said it.'),
    content: z.string().describe('Its text. Of a tool: the texts of its answer; all of it is in `result`.'),
    created_at: time('When it was stored.'),
    tool_calls: z
      .array(
        ToolCall.omit({ result: true }).openapi('RequestedToolCall', { description: 'A call of a tool.' }),
      )
      .optional()
      .describe('The tools that the model calls.'),
    tool_call_id: z.string().optional().describe('Of a tool: the call that it answers.'),
    result: ToolResult.optional(),
    usage: Usage.optional(),
    status: z.enum(['complete', 'partial']).describe('`partial`: the turn ended before all of it was there.'),
  })
  .openapi('ConversationMessage', { description: 'One message of a conversation.' })
export type ConversationMessage = z.infer<typeof ConversationMessage>

const EXAMPLE = {
  id: 'my-first',
  agent_id: 'guide',
  title: 'What can you do?',
  created_at: '2026-11-15T14:00:00.000Z',
  updated_at: '2026-11-15T14:00:01.000Z',
  status: 'idle',
  usage: { prompt_tokens: 812, completion_tokens: 64, cost_usd: 0.0034 },
} as const

const TurnFailure = z
  .object({
    detail: z.string().describe('What happened, why, and what to do next.'),
    status_code: z.int().describe('The status that the whole answer had, or would have had.'),
  })
  .openapi('TurnFailure', { description: 'Why the last turn has no whole answer.' })

const PendingApproval = z
  .object({
    call_id: ToolCall.shape.id,
    name: ToolCall.shape.name,
    arguments: ToolCall.shape.args,
  })
  .openapi('PendingApproval', { description: 'A call of a tool that waits for a decision.' })

export const Conversation = ConversationSummary.extend({
  error: TurnFailure.optional(),
  pending_approvals: z
    .array(PendingApproval)
    .describe('What it waits for: decide each with POST …/approvals/{call_id}. Empty unless `waiting`.'),
  messages: z.array(ConversationMessage).describe('All of them, oldest first.'),
}).openapi('Conversation', {
  description: 'A conversation with its messages.',
  example: {
    ...EXAMPLE,
    pending_approvals: [],
    messages: [
      {
        id: '0199f3c2-1',
        role: 'user',
        content: 'What can you do?',
        created_at: '2026-11-15T14:00:00.000Z',
        status: 'complete',
      },
      {
        id: '0199f3c2-2',
        role: 'assistant',
        content: 'I can run the tools that I was given.',
        created_at: '2026-11-15T14:00:01.000Z',
        usage: EXAMPLE.usage,
        status: 'complete',
      },
    ],
  },
})

export type Conversation = z.infer<typeof Conversation>

export const ConversationList = z
  .object({
    conversations: z.array(ConversationSummary).describe('The one that was used last first.'),
    total: z.int().describe('How many there are, on all pages.'),
    limit: z.int().nullable().describe('Null where none was asked for: all of them are there.'),
    offset: z.int().describe('How many were skipped.'),
  })
  .openapi('ConversationList', {
    description: 'A page of conversations.',
    example: { conversations: [EXAMPLE], total: 1, limit: 20, offset: 0 },
  })
