import type { JsonObject } from '../json.ts'
import type { Message, ProviderMetadata } from '../message.ts'
import type { Usage } from '../usage.ts'

/** A tool as a model sees it. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface ModelRequest {
  readonly system?: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDeclaration[]
  readonly maxOutputTokens?: number | undefined
  readonly signal: AbortSignal
}

/** `length`: it was cut at its limit. `filtered`: the provider kept the rest back. `unable`: it is whole, and says why this model cannot do what it was asked. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'filtered' | 'unable' | 'other'

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A text or a thought is whole: what its provider wants back with it. */
  | { readonly type: 'part_end'; readonly part: 'text' | 'reasoning'; readonly metadata?: ProviderMetadata }
  /** The arguments as the model wrote them. */
  | {
      readonly type: 'tool_call'
      readonly id: string
      readonly name: string
      readonly argsText: string
      readonly metadata?: ProviderMetadata
    }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: Usage }

/** One model. Throws an `AgentError`; ends without `finish` never. */
export interface Model {
  /** As it was asked for, `provider:name`. */
  readonly id: string
  /** Tokens of prompt and answer together; undefined where nobody knows. */
  readonly contextWindow: number | undefined
  /** What so many tokens cost, in US dollars; undefined where nobody knows. */
  cost(usage: Usage): number | undefined
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}
