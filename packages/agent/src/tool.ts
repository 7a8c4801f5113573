import type { JsonObject } from './json.ts'

/** One piece of a tool's answer, in the words of the Model Context Protocol. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | ({ readonly type: 'resource' | 'resource_link' } & JsonObject)

/** What a tool answered, as MCP has it. A failure is an answer too: the model is to read it. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

export interface ToolContext {
  readonly callId: string
  /** The run was aborted, or the tool's own time is over. */
  readonly signal: AbortSignal
  /** The same whenever this call is made again, so that it can be told from another one. */
  readonly idempotencyKey?: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject
  /** A person decides before each call. */
  readonly needsApproval?: boolean
  readonly timeoutMs?: number
  /** What it throws becomes an answer with `isError`. */
  execute(args: JsonObject, context: ToolContext): Promise<ToolResult>
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
