import type { ToolCall } from '@quire/agent/message'
import type { ToolResult } from '@quire/agent/tool'
import type { Turn, TurnResult } from '../turns/turns.ts'

/**
 * What happens in a turn, in the words that every protocol has one for. `messageId` names a message of the model (its text, then its calls), or the
 * answer of a tool; it is the same whoever reads the turn, and whenever. `place` is where a reader may go on who has this step.
 */
export type TurnStep =
  | { readonly type: 'text_start'; readonly messageId: string }
  | { readonly type: 'text'; readonly messageId: string; readonly text: string; readonly place: string }
  | { readonly type: 'text_end'; readonly messageId: string }
  | {
      readonly type: 'tool_call'
      readonly messageId: string
      readonly call: ToolCall
      readonly place: string
    }
  | {
      readonly type: 'tool_result'
      readonly messageId: string
      readonly callId: string
      readonly result: ToolResult
      readonly place: string
    }
  | { readonly type: 'approval'; readonly call: ToolCall; readonly place: string }
  | TurnEnd

export interface TurnEnd {
  readonly type: 'end'
  readonly result: TurnResult
  /** The calls that wait for a decision. */
  readonly pending: readonly ToolCall[]
  readonly place?: string
}

export interface StepsOptions {
  readonly after?: string | undefined
  readonly signal?: AbortSignal
}

/** Ends with `end`, or without it where the reader has gone. */
export async function* turnSteps(turn: Turn, options: StepsOptions = {}): AsyncGenerator<TurnStep> {
  const pending = new Map<string, ToolCall>()
  let textId: string | undefined
  let messageId: string | undefined

  for await (const { id: place, frame } of turn.frames(options)) {
    const slot = slotOf(place)
    if (textId !== undefined && (frame.type !== 'text' || slot !== textId)) {
      yield { type: 'text_end', messageId: textId }
      textId = undefined
    }
    if (frame.type === 'text') {
      if (textId === undefined) {
        textId = slot
        messageId = slot
        yield { type: 'text_start', messageId }
      }
      yield { type: 'text', messageId: textId, text: frame.content, place }
    } else if (frame.type === 'tool_call') {
      messageId ??= slot
      yield { type: 'tool_call', messageId, call: toCall(frame), place }
    } else if (frame.type === 'tool_result') {
      messageId = undefined
      pending.delete(frame.tool_call_id)
      yield { type: 'tool_result', messageId: slot, callId: frame.tool_call_id, result: frame.result, place }
    } else if (frame.type === 'approval_request') {
      pending.set(frame.id, toCall(frame))
      yield { type: 'approval', call: toCall(frame), place }
    } else if (frame.type === 'done') {
      yield { type: 'end', result: await turn.result(), pending: [...pending.values()], place }
    }
  }
}

/** A place is `turn.slot.offset`: without the offset it names the text, or whatever else is in the slot. */
function slotOf(place: string): string {
  return place.slice(0, place.lastIndexOf('.'))
}

function toCall({ id, name, args }: ToolCall): ToolCall {
  return { id, name, args }
}
