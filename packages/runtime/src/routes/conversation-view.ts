import { textOf, toolCallsOf } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import type { ToolResult } from '@quire/agent/tool'
import type { ToolCall, Usage } from '../contract.ts'
import type { Conversation, ConversationMessage, ConversationSummary } from '../conversation-contract.ts'
import type { ConversationRecord, LastTurn, StoredMessage } from '../conversations/conversation.ts'
import { errorOfStatus } from '../turns/turn-error.ts'
import type { TurnToolCall } from '../turns/turns.ts'

export function toConversation(record: ConversationRecord): ConversationSummary {
  return {
    id: record.id,
    agent_id: record.agentId,
    title: record.title,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    status: record.status,
    usage: toUsage(record.usage),
  }
}

/** All that is to be known of it but its messages. */
export function toConversationHead(
  record: ConversationRecord,
  { error, pending }: LastTurn,
): Omit<Conversation, 'messages'> {
  const failure = record.status === 'idle' ? undefined : (error ?? errorOfStatus(record.status))
  return {
    ...toConversation(record),
    ...(failure && { error: { detail: failure.detail, status_code: failure.statusCode } }),
    pending_approvals: pending.map(({ id, name, args }) => ({ call_id: id, name, arguments: args })),
  }
}

export function toMessages(
  messages: readonly StoredMessage[],
  { pending, unanswered }: LastTurn,
): ConversationMessage[] {
  const waiting = new Set(pending.map(({ id }) => id))
  const statusOf = (callId: string) =>
    waiting.has(callId) ? 'waiting' : unanswered.has(callId) ? 'running' : 'complete'
  return messages.map((message) => toMessage(message, statusOf))
}

type StatusOfCall = (callId: string) => ToolCall['status']

function toMessage(
  { id, message, status, usage, createdAt }: StoredMessage,
  statusOf: StatusOfCall,
): ConversationMessage {
  return {
    id,
    role: message.role,
    ...contentOf(message, statusOf),
    created_at: createdAt,
    ...(usage && { usage: toUsage(usage) }),
    status,
  }
}

type Content = Pick<ConversationMessage, 'content' | 'tool_calls' | 'tool_call_id' | 'result'>

function contentOf(message: StoredMessage['message'], statusOf: StatusOfCall): Content {
  if (message.role === 'user') return { content: message.text }
  if (message.role === 'tool')
    return { content: textIn(message.result), tool_call_id: message.callId, result: { ...message.result } }
  const calls = toolCallsOf(message)
  return {
    content: textOf(message),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, status: statusOf(id) })),
    }),
  }
}

function textIn({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

export function toToolCall({ id, name, args, result }: TurnToolCall): ToolCall {
  return { id, name, args, ...(result && { result: { ...result } }), status: result ? 'complete' : 'waiting' }
}

export function toUsage(usage: SpentUsage): Usage {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, cost } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    ...(cacheReadTokens !== undefined && { cache_read_tokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoning_tokens: reasoningTokens }),
    ...(cost !== undefined && { cost_usd: cost }),
  }
}
