import type { JsonObject } from './json.ts'
import type { ToolResult } from './tool.ts'

/** What a provider wants back with a part that it wrote, such as the signature of a thought. Nobody else reads it. */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly metadata?: ProviderMetadata
}

export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly metadata?: ProviderMetadata
}

export interface ToolCallPart extends ToolCall {
  readonly type: 'tool_call'
  /** What the model wrote in place of arguments, where that is no JSON object; `args` is empty then, and the tool is not called. */
  readonly malformed?: string
  readonly metadata?: ProviderMetadata
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart

export interface UserMessage {
  readonly role: 'user'
  readonly text: string
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly parts: readonly AssistantPart[]
}

/** What came of one tool call. Each call of an assistant message is followed by one of these before the model is asked again. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly callId: string
  readonly name: string
  readonly result: ToolResult
}

/** A conversation is a list of these. All of it is plain JSON: what is stored is what is sent again. */
export type Message = UserMessage | AssistantMessage | ToolMessage

export function textOf({ parts }: AssistantMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function toolCallsOf({ parts }: AssistantMessage): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool_call')
}
