import { CallerError } from '@quire/kit/errors'
import type { AgentStore } from '../agents/agent-record.ts'
import type { Conversations } from '../conversations/conversation.ts'
import { requireConversation } from '../routes/conversations.ts'
import type { NeedsPerson } from '../turns/ask-where-needed.ts'
import { shown } from './toolset-failure.ts'

export interface CallAccess {
  readonly agents: Pick<AgentStore, 'list'>
  readonly conversations: Pick<Conversations, 'find' | 'agentIds'>
  readonly needsPerson?: NeedsPerson | undefined
}

export interface WantedCall {
  readonly owner: string
  readonly toolset: string
  /** As models call it. */
  readonly toolName: string
  /** Where the user interface is shown; absent: in any of the caller's. */
  readonly conversationId?: string | undefined
}

/**
 * A user interface is shown by a tool of an agent: throws (403) unless one that the caller converses with has the toolset, and calls its tools without
 * asking a person. Who may only prompt gets no further than his agents do.
 */
export async function assertMayCall(
  { agents, conversations, needsPerson }: CallAccess,
  { owner, toolset, toolName, conversationId }: WantedCall,
): Promise<void> {
  const ids =
    conversationId === undefined
      ? await conversations.agentIds(owner)
      : [(await requireConversation(conversations, owner, conversationId)).agentId]
  const having = (await agents.list()).filter(
    ({ id, mcpToolsets }) => ids.includes(id) && mcpToolsets.includes(toolset),
  )
  const isAsked = needsPerson?.(toolName) ?? false
  if (!isAsked && having.some(({ toolApproval }) => !toolApproval)) return
  throw new CallerError(
    'scope',
    having.length > 0
      ? `A person decides on each call of ${isAsked ? 'this tool' : 'a tool'} of ${shown(toolset)} here: prompt the agent, and approve its call.`
      : `No agent of ${conversationId === undefined ? 'your conversations' : 'this conversation'} has the toolset ${shown(toolset)}: its tools are called for user interfaces that such an agent has shown.`,
  )
}
