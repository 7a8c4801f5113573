import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import type { Sse } from '@quire/kit/stream/sse'
import type { AgentStore } from '../agents/agent-record.ts'
import type { Conversations } from '../conversations/conversation.ts'
import type { Turns } from '../turns/turns.ts'

/** What the transports are faces of. */
export interface TransportParts {
  /** Of the service; the cards of agents show it. */
  readonly version: string
  readonly agents: Pick<AgentStore, 'list' | 'find'>
  readonly conversations: Pick<Conversations, 'find' | 'messages'>
  readonly turns: Pick<Turns, 'prompt' | 'join' | 'find' | 'decide'>
  readonly sse: Pick<Sse, 'response' | 'readers'>
  readonly logger: Logger
  /** Where clients reach the service, with the prefix it is mounted under. Absent: the origin that they asked. */
  readonly publicUrl?: string | undefined
  /** Nobody is asked for a key. */
  readonly isOpen: () => boolean
  /** Aborted when those who came without a key may no longer stay. */
  readonly streamEnd: (principal: Principal) => AbortSignal | undefined
}
