import type { Frame } from '../types.ts'
import { type CallPart, type ChatItem, changeAnswer, changeCall, type Part } from './chat-item.ts'

type CallFrame = Extract<Frame, { type: 'tool_call' | 'approval_request' }>

/** The conversation with one more frame of its last turn. */
export function takeFrame(items: readonly ChatItem[], frame: Frame): readonly ChatItem[] {
  switch (frame.type) {
    case 'text':
      return changeAnswer(items, (answer) => ({ ...answer, parts: addText(answer.parts, frame.content) }))
    case 'tool_call':
    case 'approval_request':
      return changeAnswer(items, (answer) => ({ ...answer, parts: addCall(answer.parts, frame) }))
    case 'tool_result':
      return changeCall(items, frame.tool_call_id, { status: 'complete', result: frame.result })
    case 'usage': {
      const { type: _, ...usage } = frame
      return changeAnswer(items, (answer) => ({ ...answer, usage }))
    }
    default:
      return items
  }
}

export function addText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1)
  return last?.kind === 'text'
    ? [...parts.slice(0, -1), { kind: 'text', text: last.text + text }]
    : [...parts, { kind: 'text', text }]
}

function addCall(parts: readonly Part[], { type, id, name, args }: CallFrame): readonly Part[] {
  const status = type === 'approval_request' ? 'waiting' : 'running'
  const call: CallPart = { kind: 'call', id, name, args, status }
  const isKnown = parts.some((part) => part.kind === 'call' && part.id === id)
  if (!isKnown) return [...parts, call]
  return parts.map((part) => (part.kind === 'call' && part.id === id ? { ...part, status } : part))
}
