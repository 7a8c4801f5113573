import type { Models } from '@quire/agent/models'
import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import type { Store } from '@quire/kit/store/store'
import type { Sse } from '@quire/kit/stream/sse'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { AgentStore } from '../agents/agent-record.ts'
import type { McpServer } from '../configuration-contract.ts'
import type { Conversations } from '../conversations/conversation.ts'
import type { NeedsPerson } from '../turns/ask-where-needed.ts'
import type { Turns } from '../turns/turns.ts'

/** All that the API is a face of. Each file of routes takes the few that it needs. */
export interface RuntimeParts {
  readonly version: string
  readonly agents: AgentStore
  readonly conversations: Conversations
  readonly turns: Turns
  readonly models: Models
  readonly toolsets: Toolsets
  /** Without these the service is not ready. */
  readonly requiredToolsets: readonly string[]
  readonly needsPerson?: NeedsPerson | undefined
  readonly mcpServers: readonly McpServer[]
  readonly store: Pick<Store, 'ping'>
  readonly sse: Pick<Sse, 'response' | 'readers'>
  readonly redactor: Pick<Redactor, 'text'>
  readonly logger: Logger
  /** The model of an agent that names none. */
  readonly defaultModel: string
  /** Where clients reach the service, with the prefix it is mounted under. */
  readonly publicUrl?: string | undefined
  /** Nobody is asked for a key. */
  readonly isOpen: () => boolean
  /** Aborted when those who came without a key may no longer stay. */
  readonly streamEnd: (principal: Principal) => AbortSignal | undefined
  readonly isStopping: () => boolean
}
