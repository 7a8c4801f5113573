import type { ExecutionStatus } from '../execution/execution-result.ts'

/** One call of a tool. Handlers of the events before and after it see the same object and may leave things for each other in `shared`. */
export interface ToolCall {
  readonly id: string
  readonly toolName: string
  /** As they were sent, before anything in them has been looked at. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** Who calls. */
  readonly subject?: string | undefined
  readonly shared: Map<unknown, unknown>
}

export interface Execution {
  readonly code: string
  readonly kernelId: string
  /** The notebook's name, when the code belongs to one. */
  readonly notebook?: string | undefined
  /** The call that it is part of. */
  readonly toolCall?: ToolCall | undefined
  readonly shared: Map<unknown, unknown>
}

type Ended<Success> = { readonly durationMs: number } & (
  | ({ readonly ok: true } & Success)
  | { readonly ok: false; readonly error: unknown }
)

export interface KernelLifecycle {
  readonly event: 'started' | 'restarted' | 'stopped' | 'adopted' | 'replaced'
  readonly kernelId: string
  readonly kernelName: string
}

/** What handlers can be registered for, and what they are given. */
export interface HookEvents {
  before_tool_call: ToolCall
  after_tool_call: ToolCall & Ended<{ readonly result: unknown }>
  before_execute: Execution
  after_execute: Execution & Ended<{ readonly status: ExecutionStatus; readonly outputCount: number }>
  kernel_lifecycle: KernelLifecycle
}

export type HookEvent = keyof HookEvents
