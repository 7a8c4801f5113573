import { z } from '@hono/zod-openapi'
import type { Decision } from '@quire/agent/run-agent'
import { choice, flag, list, text } from '@quire/kit/app/request-fields'
import { anyObject } from '../../any-object.ts'
import { ConversationId } from '../../contract.ts'
import { badField } from '../bad-field.ts'
import { requirePrompt, requireTexts } from '../prompt-text.ts'

const LONGEST_ID = 256
const LONGEST_CONTEXT = 256 * 1024
const LONGEST_REASON = 4_096
const MOST_MESSAGES = 10_000
const MOST_ENTRIES = 100

/** A peer of a later version may send more than we know of: it is left alone. */
const Message = z.looseObject({
  role: text(LONGEST_ID).describe('Who said it: `user`, `assistant`, `tool` and so on.'),
  content: z.unknown().optional().describe('A text, or a list of parts with texts.'),
})
const Context = z.looseObject({
  description: text(LONGEST_CONTEXT, 0).describe('What it is.'),
  value: text(LONGEST_CONTEXT, 0).describe('What it is worth.'),
})
const ResumeEntry = z.looseObject({
  interruptId: text(LONGEST_ID).describe('The id of the call that waits.'),
  status: choice(['resolved', 'cancelled']).describe('`cancelled` refuses the call.'),
  payload: z
    .unknown()
    .optional()
    .describe(
      '`{"approved": true}` with `args` in place of those of the model, or `{"approved": false, "reason": "…"}`.',
    ),
})

/** What a client of AG-UI 1.0 posts. `state` and `forwardedProps` are taken, and nothing comes of them. */
export const RunInput = z
  .looseObject({
    threadId: ConversationId.describe('The conversation; one that does not exist is opened.'),
    runId: text(LONGEST_ID).describe('Your name for this run: its events carry it.'),
    messages: list(Message, MOST_MESSAGES).describe(
      'The last one of the user is the prompt. What was said before is in the conversation, and this copy is not read.',
    ),
    tools: list(z.unknown(), MOST_ENTRIES)
      .nullish()
      .describe('Must be empty: tools that run in the client are not offered to agents here.'),
    context: list(Context, MOST_ENTRIES)
      .nullish()
      .describe('What the application says of the situation; the model is told in this run.'),
    resume: list(ResumeEntry, MOST_ENTRIES)
      .nullish()
      .describe('What was decided on the calls of tools that wait. With it there is no prompt.'),
  })
  .openapi('AgUiRunInput', {
    description:
      'What a client of AG-UI 1.0 posts. `state` and `forwardedProps` are taken, and nothing comes of them.',
    example: {
      threadId: 'my-first',
      runId: 'run-1',
      messages: [{ id: 'message-1', role: 'user', content: 'What can you do?' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  })
export type RunInput = z.infer<typeof RunInput>

/** What the user has just written. What was said before is in our conversation, and the client's copy is not read. */
export function promptOf({ messages }: RunInput): string {
  const index = messages.findLastIndex(({ role }) => role === 'user')
  const message = messages[index]
  const answer = messages.slice(index + 1).find(({ role }) => role === 'assistant' || role === 'tool')
  if (!message || answer)
    throw badField(
      'body.messages',
      `must end with a message of the user${answer ? `, not of role "${answer.role}"` : ''}: what it says is the prompt`,
    )
  const path = `body.messages[${index}].content`
  const { content } = message
  if (typeof content === 'string') return requirePrompt(content, path)
  if (!Array.isArray(content)) throw badField(path, 'must be a text, or a list of parts')
  return requireTexts(content, path)
}

/** Tools of the client's own cannot be called from here, and a model that was offered one would wait for ever. */
export function refuseClientTools({ tools }: RunInput): void {
  if (tools && tools.length > 0)
    throw badField(
      'body.tools',
      'must be empty: tools that run in the client are not offered to agents here. Give the agent an MCP toolset instead',
    )
}

export function instructionsOf({ context }: RunInput): string | undefined {
  if (!context || context.length === 0) return undefined
  const lines = context.map(({ description, value }) => `- ${description}: ${value}`)
  return `What the user's application says of the situation:\n${lines.join('\n')}`
}

const Payload = z.union([
  z.boolean().transform((approved) => ({ approved })),
  z.looseObject({
    approved: flag(),
    args: anyObject().optional(),
    editedArgs: anyObject().optional(),
    reason: text(LONGEST_REASON, 0).optional(),
  }),
])

/** By the id of the call; undefined where the run continues none. */
export function decisionsOf({ resume }: RunInput): ReadonlyMap<string, Decision> | undefined {
  if (!resume || resume.length === 0) return undefined
  const decisions = new Map<string, Decision>()
  for (const [index, { interruptId, status, payload }] of resume.entries()) {
    if (decisions.has(interruptId)) throw badField(`body.resume[${index}].interruptId`, 'is answered twice')
    decisions.set(
      interruptId,
      status === 'cancelled'
        ? { isApproved: false, reason: 'The user gave no answer.' }
        : toDecision(payload, `body.resume[${index}].payload`),
    )
  }
  return decisions
}

function toDecision(payload: unknown, path: string): Decision {
  const { success, data } = Payload.safeParse(payload)
  if (!success) throw badField(path, 'must be {"approved": true | false, "args"?: {…}, "reason"?: "…"}')
  if (!data.approved)
    return {
      isApproved: false,
      ...('reason' in data && data.reason !== undefined && { reason: data.reason }),
    }
  const args = 'args' in data ? (data.args ?? data.editedArgs) : undefined
  return { isApproved: true, ...(args && { args }) }
}
