import type { TypedResponse } from 'hono'
import type { JSONParsed } from 'hono/utils/types'
import type { Conversation } from '../conversation-contract.ts'
import type { LastTurn, MessagePage } from '../conversations/conversation.ts'
import { toMessages } from './conversation-view.ts'

export interface LongConversation {
  readonly head: Omit<Conversation, 'messages'>
  readonly lastTurn: LastTurn
  /** The first of its pages. */
  readonly page: MessagePage
  /** The others. */
  readonly pages: AsyncIterator<MessagePage>
  /** Is called when all of it was sent, or its reader has gone. */
  leave(): void
}

type Answer = Response & TypedResponse<JSONParsed<Conversation>, 200, 'json'>

/** The same JSON as of a short one, written as it is read: page by page, the next when the reader has taken the last. */
export function streamConversation(conversation: LongConversation): Answer {
  const { pages, leave } = conversation
  const parts = jsonParts(conversation)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await parts.next()
          if (!done) return controller.enqueue(encoder.encode(value))
          controller.close()
          leave()
        } catch (error) {
          leave()
          throw error
        }
      },
      async cancel() {
        leave()
        await pages.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  const response = new Response(stream, { headers: { 'content-type': 'application/json' } })
  // The type tells what the parts come to when they are put together.
  return response as Answer
}

async function* jsonParts({ head, lastTurn, page, pages }: LongConversation): AsyncGenerator<string, void> {
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[${listed(page)}`
  for (let next = await pages.next(); !next.done; next = await pages.next()) yield `,${listed(next.value)}`
  yield ']}'

  function listed({ messages }: MessagePage): string {
    return JSON.stringify(toMessages(messages, lastTurn)).slice(1, -1)
  }
}
