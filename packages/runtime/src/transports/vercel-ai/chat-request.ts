import { z } from '@hono/zod-openapi'
import type { Decision } from '@quire/agent/run-agent'
import { choice, list, text } from '@quire/kit/app/request-fields'
import { ConversationId } from '../../contract.ts'
import { badField } from '../bad-field.ts'
import { requireTexts } from '../prompt-text.ts'

const LONGEST_ID = 256
const LONGEST_REASON = 4_096
const MOST_MESSAGES = 10_000
const MOST_PARTS = 10_000

const Message = z.looseObject({
  role: choice(['system', 'user', 'assistant']).describe('Who said it.'),
  parts: list(
    z.looseObject({ type: text(LONGEST_ID).describe('The kind of part: `text`, `tool-…` and so on.') }),
    MOST_PARTS,
  ).describe('What was said. Of the user: texts.'),
})
type Message = z.infer<typeof Message>

/** What `useChat` posts by its default transport. An application may add fields of its own: they are left alone. */
export const ChatRequest = z
  .looseObject({
    id: ConversationId.describe('The chat, which is the conversation; one that does not exist is opened.'),
    messages: list(Message, MOST_MESSAGES)
      .min(1, { error: 'must hold at least the message of the user' })
      .describe(
        'The last one is the prompt, or the answer of the agent with what was decided on its calls of tools. The others are not read.',
      ),
    trigger: choice(['submit-message', 'regenerate-message'])
      .default('submit-message')
      .describe('`regenerate-message` is refused (422): an answer cannot be made anew.'),
    messageId: text(LONGEST_ID)
      .nullish()
      .describe('Refused (422) with a message of the user: one that was sent cannot be changed.'),
  })
  .openapi('VercelAiChat', {
    description:
      'What `useChat` posts by its default transport. Fields of an application of its own are left alone.',
    example: {
      id: 'my-first',
      messages: [{ id: 'message-1', role: 'user', parts: [{ type: 'text', text: 'What can you do?' }] }],
      trigger: 'submit-message',
    },
  })
export type ChatRequest = z.infer<typeof ChatRequest>

export type Wish =
  | { readonly type: 'prompt'; readonly message: string }
  | { readonly type: 'decide'; readonly decisions: ReadonlyMap<string, Decision> }

/** What the last message asks for. What was said before is in our conversation, and the client's copy is not read. */
export function wishOf({ messages, trigger, messageId }: ChatRequest): Wish {
  const index = messages.length - 1
  const path = `body.messages[${index}]`
  const last = messages[index]
  if (trigger === 'regenerate-message')
    throw badField(
      'body.trigger',
      'must be "submit-message": an answer cannot be made anew. Ask again in a message',
    )
  if (last?.role === 'user') {
    if (messageId)
      throw badField(
        'body.messageId',
        'must be left out: a message that was sent cannot be changed. Send another',
      )
    return { type: 'prompt', message: requireTexts(last.parts, `${path}.parts`) }
  }
  const decisions = last?.role === 'assistant' ? decisionsOf(last, path) : new Map()
  if (decisions.size === 0)
    throw badField(
      path,
      'must be of the user, or the answer of the agent with what was decided on its tool calls',
    )
  return { type: 'decide', decisions }
}

const Decided = z.looseObject({
  toolCallId: text(LONGEST_ID),
  state: z.literal('approval-responded'),
  approval: z.looseObject({ approved: z.boolean(), reason: text(LONGEST_REASON, 0).optional() }),
})

function decisionsOf({ parts }: Message, path: string): ReadonlyMap<string, Decision> {
  const decisions = new Map<string, Decision>()
  for (const [index, part] of parts.entries()) {
    if (part.state !== 'approval-responded') continue
    const { success, data } = Decided.safeParse(part)
    if (!success)
      throw badField(`${path}.parts[${index}]`, 'must say with "approval" what was decided on "toolCallId"')
    const { approved, reason } = data.approval
    decisions.set(data.toolCallId, {
      isApproved: approved,
      ...(!approved && reason !== undefined && { reason }),
    })
  }
  return decisions
}
