import type { Message } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'

/**
 * How the last turn stands: `running`; `idle` (it is complete, or there was none); `waiting` for a person's decision on a tool; `cancelled`; `failed`;
 * `interrupted`: its process ended before it did.
 */
export type ConversationStatus = 'running' | 'idle' | 'waiting' | 'cancelled' | 'failed' | 'interrupted'

export interface ConversationRecord {
  readonly id: string
  /** The subject of the principal that opened it. */
  readonly owner: string
  readonly agentId: string
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly status: ConversationStatus
  readonly usage: SpentUsage
}

/** `partial`: what was there of an answer when its turn was cut off, cancelled or failed. */
export type MessageStatus = 'complete' | 'partial'

export interface StoredMessage {
  readonly id: string
  readonly message: Message
  readonly status: MessageStatus
  readonly usage?: SpentUsage
  readonly turnId: string
  readonly createdAt: string
}

export interface ConversationQuery {
  readonly owner: string
  readonly agentId?: string | undefined
  /** Absent: all of them. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** What is read of conversations. Another's conversation is none. A turn whose process is gone shows as `interrupted`. */
export interface Conversations {
  /** The one that was used last comes first. */
  list(query: ConversationQuery): Promise<{
    readonly conversations: readonly ConversationRecord[]
    readonly total: number
  }>
  find(owner: string, id: string): Promise<ConversationRecord | undefined>
  /** In order, from the beginning. */
  messages(id: string): Promise<readonly StoredMessage[]>
  /** With all it holds. A running turn is cancelled first. False where there is none. */
  remove(owner: string, id: string): Promise<boolean>
  /** Those that nobody has used since; returns how many. */
  removeUnusedSince(time: Date): Promise<number>
}
