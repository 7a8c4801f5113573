import { type Message, type ToolCall, textOf, toolCallsOf } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import type { MessageStatus } from '../conversations/conversation.ts'
import type { Frame, PlacedFrame, UsageFrame } from './frame.ts'
import { BEGINNING, formatPlace, type Place, parsePlace } from './place.ts'
import type { TurnError } from './turn-error.ts'

/** What a turn has put down, in order: a message, or the calls that it stopped for. */
export type TurnItem =
  | {
      readonly type: 'message'
      readonly message: Message
      readonly status: MessageStatus
      /** What it says, where its readers share that. */
      readonly text?: string
    }
  | { readonly type: 'pause'; readonly calls: readonly ToolCall[] }

type MessageItem = Extract<TurnItem, { type: 'message' }>

export interface Ending {
  readonly usage: SpentUsage
  readonly error?: TurnError | undefined
}

/** No frame holds more text. */
const FRAME_CHARACTERS = 16_384
/** Behind the calls of a pause: the usage and the end of a stream that was read while the turn waited. */
const PAUSE_SLOTS = 2
const ENDING_SLOTS = 3

/**
 * Slots follow from what is stored, never from how it was streamed. An assistant's message has one for its text, also where it is empty, then one for
 * each call; a tool's answer has one; a pause one for each call and two for the end that its readers saw; the end of a turn three: usage, error, done.
 */
function widthOf(item: TurnItem): number {
  if (item.type === 'pause') return item.calls.length + PAUSE_SLOTS
  return item.message.role === 'assistant' ? 1 + toolCallsOf(item.message).length : 1
}

export type Layout = ReturnType<typeof createLayout>

/** Lays one turn out for one reader, item by item, and leaves out what he had before. */
export function createLayout(turnId: string, after: string | undefined) {
  const wanted = after === undefined ? undefined : parsePlace(turnId, after)
  let place: Place = wanted ?? BEGINNING
  let slot = 1
  let isUnknown = false

  function put(frames: PlacedFrame[], at: number, frame: Frame): void {
    if (at <= place.slot) return
    place = { slot: at, offset: 0 }
    frames.push({ id: formatPlace(turnId, at, 0), frame })
  }

  function putText(frames: PlacedFrame[], rest: (offset: number) => string): void {
    if (slot < place.slot) return
    let offset = slot === place.slot ? place.offset : 0
    for (let text = rest(offset); text !== ''; ) {
      const content = text.length <= FRAME_CHARACTERS ? text : text.slice(0, wholeCharacters(text))
      text = text.slice(content.length)
      offset += content.length
      frames.push({ id: formatPlace(turnId, slot, offset), frame: { type: 'text', content } })
    }
    if (offset > 0) place = { slot, offset }
  }

  function putMessage(frames: PlacedFrame[], { message, status, ...item }: MessageItem): void {
    if (message.role === 'tool') {
      put(frames, slot, { type: 'tool_result', tool_call_id: message.callId, result: message.result })
    } else if (message.role === 'assistant') {
      const text = item.text ?? textOf(message)
      // What was sent of an answer that was cut off may be more than what could be kept of it; of a whole one it is not.
      isUnknown ||= status === 'complete' && place.slot === slot && place.offset > text.length
      putText(frames, (offset) => text.slice(offset))
      toolCallsOf(message).forEach(({ id, name, args }, index) => {
        put(frames, slot + 1 + index, { type: 'tool_call', id, name, args })
      })
    }
  }

  function putEnd(frames: PlacedFrame[], { usage, error }: Ending, at: number): void {
    put(frames, at, toUsageFrame(usage))
    if (error !== undefined) put(frames, at + 1, toErrorFrame(error))
    put(frames, at + 2, { type: 'done' })
  }

  return Object.freeze({
    /** The place is none of this turn: lay it out again from its beginning. */
    isUnknown: () => isUnknown,
    add(item: TurnItem): PlacedFrame[] {
      const frames: PlacedFrame[] = []
      if (item.type === 'message') putMessage(frames, item)
      else
        item.calls.forEach(({ id, name, args }, index) => {
          put(frames, slot + index, { type: 'approval_request', id, name, args })
        })
      slot += widthOf(item)
      return frames
    },
    /** What there is of a text that still grows, behind the last item. */
    addText(rest: (offset: number) => string): PlacedFrame[] {
      const frames: PlacedFrame[] = []
      isUnknown ||= place.slot > slot
      if (!isUnknown) putText(frames, rest)
      return frames
    },
    /** The turn waits, and its last item is the pause. */
    addWait({ usage }: Ending): PlacedFrame[] {
      const frames: PlacedFrame[] = []
      isUnknown ||= place.slot >= slot
      if (isUnknown) return frames
      put(frames, slot - PAUSE_SLOTS, toUsageFrame(usage))
      put(frames, slot - 1, { type: 'done' })
      return frames
    },
    addEnd(ending: Ending): PlacedFrame[] {
      const frames: PlacedFrame[] = []
      isUnknown ||= place.slot >= slot + ENDING_SLOTS
      // A text that was being sent when the process was lost, and of which nothing was kept.
      if (place.slot === slot && place.offset > 0) place = { slot: slot - 1, offset: 0 }
      if (!isUnknown) putEnd(frames, ending, slot)
      return frames
    },
  })
}

/** A pair of surrogates stays together. */
function wholeCharacters(text: string): number {
  const last = text.charCodeAt(FRAME_CHARACTERS - 1)
  return last >= 0xd800 && last < 0xdc00 ? FRAME_CHARACTERS - 1 : FRAME_CHARACTERS
}

function toErrorFrame({ detail, statusCode, retryAfterSeconds }: TurnError): Frame {
  return {
    type: 'error',
    detail,
    status_code: statusCode,
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
  }
}

function toUsageFrame({ promptTokens, completionTokens, cost }: SpentUsage): UsageFrame {
  return {
    type: 'usage',
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    ...(cost !== undefined && { cost_usd: cost }),
  }
}
