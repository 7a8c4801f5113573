import type { Usage } from '@quire/runtime/contract'
import type { ConversationMessage } from '@quire/runtime/contract/conversations'
import { type ChatItem, changeAnswer, changeCall, type Part } from './chat-item.ts'
import { addText } from './take-frame.ts'

/** Stored messages as people see them: a question, then all that the agent did about it. */
export function fromMessages(messages: readonly ConversationMessage[]): readonly ChatItem[] {
  return messages.reduce<readonly ChatItem[]>(addMessage, [])
}

function addMessage(items: readonly ChatItem[], message: ConversationMessage): readonly ChatItem[] {
  if (message.role === 'user')
    return [...items, { kind: 'question', text: message.content, at: message.created_at }]
  if (message.role === 'tool')
    return changeCall(items, message.tool_call_id ?? '', { status: 'complete', result: message.result })
  return changeAnswer(items, (answer) => ({
    ...answer,
    parts: [
      ...(message.content === '' ? answer.parts : addText(answer.parts, message.content)),
      ...(message.tool_calls ?? []).map(
        ({ id, name, args, status = 'running' }): Part => ({ kind: 'call', id, name, args, status }),
      ),
    ],
    usage: addUsage(answer.usage, message.usage),
  }))
}

function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const cost =
    one.cost_usd === undefined || other.cost_usd === undefined ? undefined : one.cost_usd + other.cost_usd
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    ...(cost !== undefined && { cost_usd: cost }),
  }
}
