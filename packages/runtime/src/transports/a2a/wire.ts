import type { JsonValue } from '@quire/agent/json'
import type { Usage } from '../../contract.ts'

/** What we send of A2A 1.0, as its JSON has it: https://a2a-protocol.org/v1.0.1/spec/a2a.proto */
export type TaskState =
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'

export type Part =
  | { readonly text: string; readonly mediaType?: string }
  | { readonly data: JsonValue; readonly mediaType?: string }

export interface A2aMessage {
  readonly messageId: string
  readonly contextId: string
  readonly taskId: string
  readonly role: 'ROLE_USER' | 'ROLE_AGENT'
  readonly parts: readonly Part[]
}

export interface TaskStatus {
  readonly state: TaskState
  readonly message?: A2aMessage
  readonly timestamp?: string
}

export interface Artifact {
  readonly artifactId: string
  readonly name: string
  readonly parts: readonly Part[]
}

export interface Task {
  readonly id: string
  readonly contextId: string
  readonly status: TaskStatus
  readonly artifacts?: readonly Artifact[]
  readonly history?: readonly A2aMessage[]
  readonly metadata?: { readonly usage: Usage }
}

export interface UpdateIds {
  readonly taskId: string
  readonly contextId: string
}

/** One event of a stream. */
export type StreamResponse =
  | { readonly task: Task }
  | {
      readonly statusUpdate: UpdateIds & { readonly status: TaskStatus; readonly metadata?: Task['metadata'] }
    }
  | { readonly artifactUpdate: UpdateIds & { readonly artifact: Artifact; readonly append: boolean } }
