import type { Message, ToolCall } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import type { TurnError } from '../turns/turn-error.ts'

/**
 * How the last turn stands: `running`; `idle` (it is complete, or there was none); `waiting` for a person's decision on a tool; `cancelled`; `failed`;
 * `interrupted`: its process ended before it did.
 */
export const CONVERSATION_STATUSES = [
  'running',
  'idle',
  'waiting',
  'cancelled',
  'failed',
  'interrupted',
] as const
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number]

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

/** What there is to know of the last turn beside its messages. */
export interface LastTurn {
  /** Why it has no whole answer. */
  readonly error?: TurnError
  /** The calls that it waits for a decision on. */
  readonly pending: readonly ToolCall[]
  /** Ids of all of its calls that have no answer yet. */
  readonly unanswered: ReadonlySet<string>
  /** Of the last message that was there when this was read; undefined where no more are to come. */
  readonly lastNumber: number | undefined
}

export interface MessageRange {
  /** Only those of this turn. */
  readonly turnId?: string | undefined
  /** Up to the one with this number. */
  readonly upTo?: number | undefined
}

export interface MessagePage {
  readonly messages: readonly StoredMessage[]
  /** Of the last of them. */
  readonly lastNumber: number
  readonly isLast: boolean
}

export interface ConversationQuery {
  readonly owner: string
  readonly agentId?: string | undefined
  readonly status?: ConversationStatus | undefined
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
  /** In order, from the beginning, read as they are asked for: some at a time, so that a long conversation is never in memory whole. */
  messages(id: string, range?: MessageRange): AsyncIterable<MessagePage>
  lastTurn(id: string): Promise<LastTurn>
  /** Of the agents of all conversations of an owner. */
  agentIds(owner: string): Promise<readonly string[]>
  /** With all it holds. A running turn is cancelled first. False where there is none. */
  remove(owner: string, id: string): Promise<boolean>
  /** Those that nobody has used since; returns how many. */
  removeUnusedSince(time: Date): Promise<number>
}
