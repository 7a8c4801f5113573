import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { choice, object, text, wholeNumberText } from '@quire/kit/app/request-fields'
import { needs } from '@quire/kit/app/route-table'
import { CallerError } from '@quire/kit/errors'
import { ConversationId, Message } from '../contract.ts'
import { Conversation, ConversationList } from '../conversation-contract.ts'
import { CONVERSATION_STATUSES, type ConversationRecord } from '../conversations/conversation.ts'
import { createLimitAtOnce } from '../limit-at-once.ts'
import { toConversation, toConversationHead, toMessages } from './conversation-view.ts'
import {
  INVALID,
  json,
  conversationParams as params,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_CONVERSATION,
} from './declare.ts'
import type { RuntimeParts } from './parts.ts'
import { streamConversation } from './stream-conversation.ts'

type ConversationParts = Pick<RuntimeParts, 'conversations'>

const tags = ['conversations']
const MOST_ITEMS = 1_000
const MOST_SKIPPED = 1_000_000_000
const MOST_LONG_READS = 256
const MOST_LONG_READS_OF_ONE = 16

const query = object({
  agent_id: text(128).optional().openapi({ description: 'Only those of this agent.', example: 'guide' }),
  status: choice(CONVERSATION_STATUSES).optional().openapi({ description: 'Only those that stand so' }),
  limit: wholeNumberText(1, MOST_ITEMS).optional().openapi({
    type: 'integer',
    minimum: 1,
    maximum: MOST_ITEMS,
    description: 'How many at the most. Absent: all of them.',
    example: 20,
  }),
  offset: wholeNumberText(0, MOST_SKIPPED)
    .optional()
    .openapi({ type: 'integer', minimum: 0, default: 0, description: 'How many to skip.', example: 0 }),
})

/** Of the caller's own conversations: another's is as unknown as one that does not exist. */
export function mountConversations(
  app: ServiceApp,
  prefix: string,
  { conversations }: ConversationParts,
): void {
  // A long one is read as slowly as its reader likes.
  const longReads = createLimitAtOnce({
    most: MOST_LONG_READS,
    mostPerOwner: MOST_LONG_READS_OF_ONE,
    what: 'reads of long conversations',
  })

  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/conversations`,
    operationId: 'listConversations',
    summary: 'List your conversations',
    description:
      'Those that keys of your name have opened, the one that was used last first, without their messages.',
    security: needs('agents:read'),
    request: { query },
    responses: { ...REFUSED, ...INVALID, ...UNAVAILABLE, 200: json('The conversations.', ConversationList) },
  })
  app.openapi(list, async (c) => {
    const { agent_id, status, limit, offset = 0 } = c.req.valid('query')
    const found = await conversations.list({
      owner: c.get('principal').subject,
      agentId: agent_id,
      status,
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
    summary: 'Read a conversation',
    description: "With all its messages. Another's is as unknown as one that does not exist.",
    security: needs('agents:read'),
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN_CONVERSATION,
      ...UNAVAILABLE,
      200: json('The conversation.', Conversation),
    },
  })
  app.openapi(one, async (c) => {
    const { conversation_id } = c.req.valid('param')
    const record = await requireConversation(conversations, c.get('principal').subject, conversation_id)
    const lastTurn = await conversations.lastTurn(record.id)
    const pages = conversations.messages(record.id, { upTo: lastTurn.lastNumber })[Symbol.asyncIterator]()
    const { value: page } = await pages.next()
    const head = toConversationHead(record, lastTurn)
    if (page === undefined || page.isLast)
      return c.json({ ...head, messages: toMessages(page?.messages ?? [], lastTurn) }, 200)
    return streamConversation({ head, lastTurn, page, pages, leave: longReads.take(record.owner) })
  })

  const remove = createRoute({
    tags,
    method: 'delete',
    path: `${prefix}/conversations/{conversation_id}`,
    operationId: 'deleteConversation',
    summary: 'Delete a conversation',
    description: 'With all it holds. A turn under way is cancelled first.',
    security: needs('agents:prompt'),
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN_CONVERSATION,
      ...UNAVAILABLE,
      200: json('It is gone.', Message, {
        message: 'The conversation "my-first" is gone, with all it held.',
      }),
    },
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
