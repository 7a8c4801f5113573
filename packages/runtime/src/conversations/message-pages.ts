import type { Message } from '@quire/agent/message'
import { toolCallsOf } from '@quire/agent/message'
import { type RawBuilder, sql } from 'kysely'

/** How many messages a page has at the most. */
export const PAGE_MESSAGES = 64
/** A page ends with the message that reaches this. */
const PAGE_BYTES = 256 * 1024

export interface PageStart {
  readonly conversationId: string
  /** The number of the last message of the page before it. */
  readonly after: number
  /** Less than usual where messages are long: to measure one may mean to read it. */
  readonly limit?: number | undefined
}

/** The number of the last message of a page, so that whoever reads a long conversation holds a small part of it at a time. */
export function lastOfPage({ conversationId, after, limit = PAGE_MESSAGES }: PageStart): RawBuilder<number> {
  return sql<number>`(
    select max(number) from (
      select number, sum(bytes) over (order by number) - bytes as earlier from (
        select number, octet_length(message) as bytes from runtime_message
        where conversation_id = ${conversationId} and number > ${after}
        order by number limit ${sql.lit(limit)}
      ) as sized
    ) as summed where earlier < ${sql.lit(PAGE_BYTES)}
  )`
}

/** There may be more behind it. */
export function isFullPage(rows: readonly { readonly message: string }[], limit = PAGE_MESSAGES): boolean {
  if (rows.length === limit) return true
  return rows.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0) >= PAGE_BYTES
}

/** The calls that nobody has answered yet, of messages that come one after the other. */
export function createOpenCalls() {
  const open = new Set<string>()
  return Object.freeze({
    take(message: Message): void {
      if (message.role === 'assistant') for (const { id } of toolCallsOf(message)) open.add(id)
      if (message.role === 'tool') open.delete(message.callId)
    },
    ids: (): ReadonlySet<string> => open,
  })
}
