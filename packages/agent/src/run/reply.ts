import { AgentError } from '../agent-error.ts'
import type { AgentEvent } from '../event.ts'
import type { AssistantPart, ProviderMetadata, TextPart, ToolCallPart } from '../message.ts'
import type { FinishReason, ModelEvent } from '../model/model.ts'
import { NO_USAGE, type Usage } from '../usage.ts'
import { parseArgs } from './parse-args.ts'

/** No model writes as much in one answer: one that does has lost itself. */
const MAX_CHARACTERS = 4_000_000
/** No model wants as many tools at once: one that does has lost itself, too. */
const MAX_CALLS = 256
/** What a call weighs beside its arguments, so that empty ones are bounded too. */
const CALL_CHARACTERS = 100

/** What a model says in one step. */
export interface Reply {
  /** A fragment for those who listen, where the event has one. */
  take(event: ModelEvent): AgentEvent | undefined
  /** All of it. */
  parts(): readonly AssistantPart[]
  /**
   * Of an answer that was cut: the words alone. Half a thought and the marks of a provider on an answer that it never finished would be refused when
   * they are sent again, and no call of it is made.
   */
  words(): readonly TextPart[]
  finish(): FinishReason | undefined
  usage(): Usage
}

interface Prose {
  readonly type: 'text' | 'reasoning'
  text: string
  metadata?: ProviderMetadata
  isWhole: boolean
}

/** `toCallId` gives a call another id where the model's own is empty or taken. */
export function createReply(toCallId: (id: string) => string): Reply {
  const parts: (Prose | ToolCallPart)[] = []
  let current: Prose | undefined
  let finished: { readonly reason: FinishReason; readonly usage: Usage } | undefined
  let characters = 0
  let calls = 0

  return Object.freeze({
    take(event: ModelEvent): AgentEvent | undefined {
      if (finished) return undefined
      switch (event.type) {
        case 'text':
        case 'reasoning':
          return event.text === '' ? undefined : append(event)
        case 'part_end':
          end(event.part, event.metadata)
          return undefined
        case 'tool_call':
          addCall(event)
          return undefined
        case 'finish':
          finished = event
          return undefined
      }
    },
    parts: () => parts.map((part) => (part.type === 'tool_call' ? part : toPart(part))),
    words: () => parts.filter(isText).map(({ text }): TextPart => ({ type: 'text', text })),
    finish: () => finished?.reason,
    usage: () => finished?.usage ?? NO_USAGE,
  })

  function append({ type, text }: ModelEvent & { type: 'text' | 'reasoning' }): AgentEvent {
    weigh(text.length)
    if (current?.type !== type) {
      current = { type, text: '', isWhole: false }
      parts.push(current)
    }
    current.text += text
    return { type, text }
  }

  /** A part may end after the next one began, and one without text may still carry what its provider wants back. */
  function end(type: Prose['type'], metadata: ProviderMetadata | undefined): void {
    let part = parts.findLast((one): one is Prose => one.type === type && !one.isWhole)
    if (part === undefined) {
      if (metadata === undefined) return
      weigh(CALL_CHARACTERS)
      part = { type, text: '', isWhole: true }
      parts.push(part)
    }
    part.isWhole = true
    if (metadata !== undefined) part.metadata = metadata
    if (current === part) current = undefined
  }

  function addCall({ id, name, argsText, metadata }: ModelEvent & { type: 'tool_call' }): void {
    calls += 1
    if (calls > MAX_CALLS)
      throw new AgentError(
        'garbled',
        `The model called more than ${MAX_CALLS} tools in one answer and was stopped. Ask again, more narrowly.`,
      )
    weigh(id.length + name.length + argsText.length + CALL_CHARACTERS)
    const args = parseArgs(argsText)
    current = undefined
    parts.push({
      type: 'tool_call',
      id: toCallId(id),
      name,
      args: args ?? {},
      ...(args === undefined && { malformed: argsText }),
      ...(metadata !== undefined && { metadata }),
    })
  }

  function weigh(more: number): void {
    characters += more
    if (characters <= MAX_CHARACTERS) return
    throw new AgentError(
      'garbled',
      `The model wrote more than ${MAX_CHARACTERS} characters in one answer and was stopped. Ask again, more narrowly.`,
    )
  }
}

function toPart({ type, text, metadata }: Prose): AssistantPart {
  return metadata === undefined ? { type, text } : { type, text, metadata }
}

function isText(part: Prose | ToolCallPart): part is Prose {
  return part.type === 'text' && part.text !== ''
}
