import type { ContentBlock } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { ToolContext } from './tool-context.ts'

/** What a caller must be allowed to do. */
export type Scope = 'notebooks:read' | 'notebooks:write' | 'code:execute' | 'server:manage'

export interface Annotations {
  readonly readOnlyHint: boolean
  /** It can take something away that was there. */
  readonly destructiveHint: boolean
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint: boolean
  /** It runs code, which can reach anything. */
  readonly openWorldHint: boolean
}

export interface Reply<Structured> {
  /** Text, or blocks where there are images and links. */
  readonly content: string | readonly ContentBlock[]
  readonly structured: Structured
  /** The call did what it could, and failed all the same: an execution that was lost or ran out of time. */
  readonly isError?: boolean
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** For the model that chooses a tool: what it does, when to take it, what to mind. */
  readonly description: string
  /** What is always needed. In read-only mode only tools that need no more than `notebooks:read` are offered. */
  readonly scope: Scope
  /** What these arguments need beyond it. They are looked at before they are validated. */
  readonly furtherScopes?: (rawArguments: Readonly<Record<string, unknown>>) => readonly Scope[]
  readonly annotations: Annotations
  readonly input: Input
  readonly output: Output
  run(input: z.output<Input>, context: ToolContext): Promise<Reply<z.input<Output>>>
}

/** Keeps the exact types of the schemas for `run`, and forgets them for whoever holds many tools. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return Object.freeze(tool) as unknown as Tool
}
