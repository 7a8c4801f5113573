import type { Arguments } from '../connection/calls.ts'
import type { JsonObject } from '../json.ts'

/** One piece of a tool's answer, as far as whoever reads it relies on it. */
export type ModelToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | ({ readonly type: 'resource' | 'resource_link' } & JsonObject)

/** What a tool answered. A failure is an answer too: the model is to read it. */
export interface ModelToolResult {
  readonly content: readonly ModelToolContent[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

export interface ModelToolContext {
  readonly callId: string
  readonly signal: AbortSignal
  /** Goes with the call, so that a server can tell a call that is repeated from a second one. */
  readonly idempotencyKey?: string | undefined
}

/** A tool of an MCP server as a model is offered it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject
  /** A person decides before each call. */
  readonly needsApproval?: boolean
  readonly timeoutMs?: number
  /** Rejects only when it was aborted: whatever else fails is an answer with `isError`. */
  execute(args: Arguments, context: ModelToolContext): Promise<ModelToolResult>
}

export function errorResult(text: string): ModelToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
