import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { CallerError } from '@quire/kit/errors'
import { Conversation, ConversationId, ConversationList, Message } from '../contract.ts'
import type { ConversationRecord } from '../conversations/conversation.ts'
import { object, text, wholeNumberText } from '../request-fields.ts'
import { toConversation, toMessage } from './conversation-view.ts'
import { INVALID, json, REFUSED, UNAVAILABLE, UNKNOWN } from './declare.ts'
import type { RuntimeParts } from './parts.ts'

type ConversationParts = Pick<RuntimeParts, 'conversations'>

const tags = ['conversations']
const params = z.object({ conversation_id: z.string() })
const MOST_ITEMS = 1_000
const MOST_SKIPPED = 1_000_000_000

const query = object({
  agent_id: text(128).optional().openapi({ description: 'Only those of this agent' }),
  limit: wholeNumberText(1, MOST_ITEMS)
    .optional()
    .openapi({ type: 'integer', minimum: 1, maximum: MOST_ITEMS, description: 'Absent: all of them' }),
  offset: wholeNumberText(0, MOST_SKIPPED)
    .optional()
    .openapi({ type: 'integer', minimum: 0, default: 0, description: 'How many to skip' }),
})

/** Of the caller's own conversations: another's is as unknown as one that does not exist. */
export function mountConversations(
  app: ServiceApp,
  prefix: string,
  { conversations }: ConversationParts,
): void {
  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/conversations`,
    operationId: 'listConversations',
    summary: 'Your conversations, the one that was used last first, without their messages',
    security: needs('agents:read'),
    request: { query },
    responses: { ...REFUSED, ...INVALID, ...UNAVAILABLE, 200: json('The conversations', ConversationList) },
  })
  app.openapi(list, async (c) => {
    const { agent_id, limit, offset = 0 } = c.req.valid('query')
    const found = await conversations.list({
      owner: c.get('principal').subject,
      agentId: agent_id,
      limit,
      offset,
    })
    const page = { total: found.total, limit: limit ?? null, offset }
    return c.json({ conversations: found.conversations.map(toConversation), ...page }, 200)
  })

  const one = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/conversations/{conversation_id}`,
    operationId: 'getConversation',
    summary: 'A conversation with its messages',
    security: needs('agents:read'),
    request: { params },
    responses: { ...REFUSED, ...UNKNOWN, ...UNAVAILABLE, 200: json('The conversation', Conversation) },
  })
  app.openapi(one, async (c) => {
    const { conversation_id } = c.req.valid('param')
    const record = await requireConversation(conversations, c.get('principal').subject, conversation_id)
    const messages = await conversations.messages(record.id)
    return c.json({ ...toConversation(record), messages: messages.map(toMessage) }, 200)
  })

  const remove = createRoute({
    tags,
    method: 'delete',
    path: `${prefix}/conversations/{conversation_id}`,
    operationId: 'deleteConversation',
    summary: 'Delete a conversation and all it holds; a turn under way is cancelled first',
    security: needs('agents:prompt'),
    request: { params },
    responses: { ...REFUSED, ...UNKNOWN, ...UNAVAILABLE, 200: json('It is gone', Message) },
  })
  app.openapi(remove, async (c) => {
    const { conversation_id } = c.req.valid('param')
    const { id } = await requireConversation(conversations, c.get('principal').subject, conversation_id)
    if (!(await conversations.remove(c.get('principal').subject, id))) throw unknownConversation(id)
    return c.json({ message: `The conversation "${id}" is gone, with all it held.` }, 200)
  })
}

export async function requireConversation(
  conversations: Pick<RuntimeParts['conversations'], 'find'>,
  owner: string,
  id: string,
): Promise<ConversationRecord> {
  const found = isConversationId(id) ? await conversations.find(owner, id) : undefined
  if (found) return found
  throw unknownConversation(id)
}

/** No conversation has another: the store need not be asked. */
function isConversationId(id: string): boolean {
  return ConversationId.safeParse(id).success
}

const LONGEST_SHOWN = 128

function unknownConversation(id: string): CallerError {
  return new CallerError(
    'not_found',
    `You have no conversation ${JSON.stringify(id.slice(0, LONGEST_SHOWN))}. GET /api/v1/conversations lists yours.`,
  )
}
