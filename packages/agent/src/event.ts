import type { AgentError } from './agent-error.ts'
import type { AssistantMessage, ToolCall, ToolMessage } from './message.ts'
import type { FinishReason } from './model/model.ts'
import type { Usage } from './usage.ts'

/** Why a run is over: the model was done; a person has to decide; the caller aborted; or it failed. */
export type StopReason = 'end' | 'approval' | 'aborted' | 'failed'

/** What happens in a run, in order. The last one is always `done`. */
export type AgentEvent =
  /** A fragment of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** A fragment of what the model thinks before it answers. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** Before the tool is called, and also where it never is. */
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  /**
   * One message more of the conversation, whole: what the model said in a step, or what a tool answered. The run goes on when the next event is
   * asked for, so whoever stores it first has stored each call before its tool is called.
   */
  | { readonly type: 'message'; readonly message: AssistantMessage; readonly usage: Usage }
  | { readonly type: 'message'; readonly message: ToolMessage; readonly usage?: undefined }
  /** The run stops after this step until somebody has decided. */
  | { readonly type: 'approval_request'; readonly call: ToolCall }
  | { readonly type: 'error'; readonly error: AgentError }
  /** `finish` tells, where the reason is `end`, whether the model said all it wanted, and did what it was asked. */
  | {
      readonly type: 'done'
      readonly reason: StopReason
      readonly usage: Usage
      readonly finish?: FinishReason
    }
