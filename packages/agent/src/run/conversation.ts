import type { AgentEvent } from '../event.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolCall,
  type ToolCallPart,
  textOf,
  toolCallsOf,
} from '../message.ts'
import type { ToolResult } from '../tool.ts'
import type { Usage } from '../usage.ts'

/** The messages of before and those of this run. It knows which calls have no result yet. */
export interface Conversation {
  messages(): readonly Message[]
  added(): readonly Message[]
  unanswered(): readonly ToolCallPart[]
  /** Each of these two is an event of the run. */
  say(message: AssistantMessage, usage: Usage): AgentEvent
  answer(call: ToolCall, result: ToolResult): AgentEvent
  /** Decisions and results are found by the id of a call, and not every model gives each call one of its own. */
  toCallId(id: string): string
  /** Of the last message of the model in this run. */
  text(): string
}

export function createConversation(before: readonly Message[]): Conversation {
  const added: Message[] = []
  const unanswered = new Map(callsWithoutResult(before).map((call) => [call.id, call]))
  let taken: Set<string> | undefined
  let text = ''

  return Object.freeze({
    messages: () => [...before, ...added],
    added: () => added,
    unanswered: () => [...unanswered.values()],
    say(message: AssistantMessage, usage: Usage): AgentEvent {
      added.push(message)
      text = textOf(message)
      for (const call of toolCallsOf(message)) unanswered.set(call.id, call)
      return { type: 'message', message, usage }
    },
    answer({ id, name }: ToolCall, result: ToolResult): AgentEvent {
      const message = { role: 'tool', callId: id, name, result } as const
      added.push(message)
      unanswered.delete(id)
      return { type: 'message', message }
    },
    toCallId(id: string): string {
      taken ??= callIdsOf(before)
      let unique = id || 'call'
      for (let number = 2; taken.has(unique); number += 1) unique = `${id || 'call'}-${number}`
      taken.add(unique)
      return unique
    },
    text: () => text,
  })
}

function callsWithoutResult(messages: readonly Message[]): readonly ToolCallPart[] {
  const index = messages.findLastIndex(({ role }) => role !== 'tool')
  const message = messages[index]
  if (message?.role !== 'assistant') return []
  const answered = new Set<string>()
  for (const one of messages.slice(index + 1)) if (one.role === 'tool') answered.add(one.callId)
  return toolCallsOf(message).filter(({ id }) => !answered.has(id))
}

function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id } of toolCallsOf(message)) ids.add(id)
  }
  return ids
}
