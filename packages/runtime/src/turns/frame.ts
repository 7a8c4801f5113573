import type { JsonObject } from '@quire/agent/json'
import type { ToolResult } from '@quire/agent/tool'

/** What a streamed prompt sends, in the words of the specification. `done` is the last one. */
export type Frame =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | { readonly type: 'tool_result'; readonly tool_call_id: string; readonly result: ToolResult }
  | {
      readonly type: 'approval_request'
      readonly id: string
      readonly name: string
      readonly args: JsonObject
    }
  | UsageFrame
  | {
      readonly type: 'error'
      readonly detail: string
      readonly status_code: number
      /** Seconds. */
      readonly retry_after?: number
    }
  | { readonly type: 'done' }

export interface UsageFrame {
  readonly type: 'usage'
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_usd?: number
}

/**
 * A frame and its place, `turn.slot.offset`. A slot is a run of text or one other frame; the offset is how many characters of the text were sent up to
 * here. So a place says the same of a turn that is under way, of one that runs on another machine, and of one that is read from the store, however its text was cut into fragments.
 */
export interface PlacedFrame {
  readonly id: string
  readonly frame: Frame
}
