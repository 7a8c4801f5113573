import type { JsonObject } from '@quire/agent/json'
import type { Decision } from '@quire/agent/run-agent'
import type { SpentUsage } from '@quire/agent/spent'
import type { Tool, ToolResult } from '@quire/agent/tool'
import type { AgentRecord } from '../agents/agent-record.ts'
import type { PlacedFrame } from './frame.ts'

export interface PromptRequest {
  /** The subject of whoever asks. */
  readonly owner: string
  readonly agentId: string
  /** Absent: a new conversation. Unknown: a new one of that id. */
  readonly conversationId?: string | undefined
  readonly message: string
  /** Beside those of the agent's toolsets, for this turn alone. */
  readonly extraTools?: readonly Tool[] | undefined
  /** Behind the agent's own, for this turn alone. */
  readonly extraInstructions?: string | undefined
}

export type TurnStatus = 'running' | 'complete' | 'waiting' | 'cancelled' | 'failed' | 'interrupted'

export interface TurnToolCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** Absent while nobody has answered it. */
  readonly result?: ToolResult
}

export interface TurnResult {
  readonly status: Exclude<TurnStatus, 'running'>
  /** All that the model said to its user in this turn. */
  readonly text: string
  readonly toolCalls: readonly TurnToolCall[]
  readonly usage: SpentUsage
  readonly error?: {
    readonly detail: string
    readonly statusCode: number
    readonly retryAfterSeconds?: number
  }
}

/** One prompt and what comes of it. It goes on whether or not anybody watches. */
export interface Turn {
  readonly id: string
  readonly conversationId: string
  /** As it was when the turn began. */
  readonly agent: AgentRecord
  /** From the beginning, or from after a place that was given with a frame; ends after `done`. */
  frames(options?: {
    readonly after?: string | undefined
    readonly signal?: AbortSignal
  }): AsyncIterable<PlacedFrame>
  result(): Promise<TurnResult>
  cancel(): Promise<void>
}

/** `requested`: it runs where it could not be stopped yet, and nothing more is begun for it. `none`: nothing was under way, or it ended by itself. */
export type CancelOutcome = 'cancelled' | 'requested' | 'none'

export interface DecisionRequest extends Decision {
  readonly owner: string
  readonly conversationId: string
  readonly callId: string
  /** Those that were given with the prompt: they are not stored. */
  readonly extraTools?: readonly Tool[] | undefined
}

/** The turns of all conversations, of this process and, through the store, of others. Whatever it refuses is a `CallerError`. */
export interface Turns {
  /**
   * Resolves when the prompt is stored: from then on its answer is not lost. 404: no such agent, or the conversation is another's. 409: the conversation is
   * another agent's, or a turn of it is under way, or waits for a decision.
   */
  prompt(request: PromptRequest): Promise<Turn>
  /** The last turn of a conversation, under way or over; undefined where there was none. 404: there is no such conversation. */
  join(owner: string, conversationId: string): Promise<Turn | undefined>
  /** Any turn of a conversation, also one that others have followed; undefined where it has no such turn. 404: there is no such conversation. */
  find(owner: string, conversationId: string, turnId: string): Promise<Turn | undefined>
  /** 404: there is no such conversation. */
  cancel(owner: string, conversationId: string): Promise<CancelOutcome>
  /** Stores what a person decided; the turn goes on with the last decision that it waits for. Undefined while it waits for others. 404, 409. */
  decide(request: DecisionRequest): Promise<Turn | undefined>
  /** All that run an agent's prompts. */
  cancelOf(agentId: string): Promise<void>
  /** Lets those of this process end for a while; what is still under way then is interrupted. */
  close(graceMs?: number): Promise<void>
}
