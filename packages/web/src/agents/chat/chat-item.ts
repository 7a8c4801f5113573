import type { ToolCall, Usage } from '@quire/runtime/contract'

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
}

export interface CallPart extends Pick<ToolCall, 'id' | 'name' | 'args'> {
  readonly kind: 'call'
  /** `decided`: by a person, while the turn waits for other decisions. */
  readonly status: 'running' | 'waiting' | 'decided' | 'complete'
  readonly result?: Readonly<Record<string, unknown>> | undefined
}

export type Part = TextPart | CallPart

export interface Question {
  readonly kind: 'question'
  readonly text: string
  readonly at: string
}

/** All that an agent says and does in one turn. */
export interface Answer {
  readonly kind: 'answer'
  readonly parts: readonly Part[]
  readonly usage?: Usage | undefined
}

export type ChatItem = Question | Answer

/** The last item, where it is an answer; a new one where it is not. */
export function changeAnswer(items: readonly ChatItem[], change: (answer: Answer) => Answer): ChatItem[] {
  const last = items.at(-1)
  return last?.kind === 'answer'
    ? [...items.slice(0, -1), change(last)]
    : [...items, change({ kind: 'answer', parts: [] })]
}

export function changeCall(items: readonly ChatItem[], id: string, change: Partial<CallPart>): ChatItem[] {
  return changeAnswer(items, (answer) => ({
    ...answer,
    parts: answer.parts.map((part) =>
      part.kind === 'call' && part.id === id ? { ...part, ...change } : part,
    ),
  }))
}

/** Without the last answer: a turn is told again from its beginning. */
export function withoutAnswer(items: readonly ChatItem[]): readonly ChatItem[] {
  return items.at(-1)?.kind === 'answer' ? items.slice(0, -1) : items
}

export function isWaiting(items: readonly ChatItem[]): boolean {
  const last = items.at(-1)
  return (
    last?.kind === 'answer' && last.parts.some((part) => part.kind === 'call' && part.status === 'waiting')
  )
}
