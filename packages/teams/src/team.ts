import type { SpentUsage } from '@quire/agent/spent'

export const EXECUTION_MODES = ['sequential', 'parallel', 'supervisor'] as const
export type ExecutionMode = (typeof EXECUTION_MODES)[number]

export const TEAM_STATUSES = ['draft', 'running', 'paused', 'stopped'] as const
export type TeamStatus = (typeof TEAM_STATUSES)[number]

/** One who does tasks: a model with a system prompt and tools, or an agent of a runtime elsewhere. */
export interface Member {
  readonly name: string
  /** `provider:name`. Absent where `agentUrl` is given. */
  readonly model?: string
  readonly systemPrompt: string
  readonly mcpToolsets: readonly string[]
  /** How often the model is asked at the most in one attempt at a task. */
  readonly maxSteps?: number
  /** Of an agent of a runtime: `…/api/v1/agents/{id}`. */
  readonly agentUrl?: string
}

export interface Supervisor {
  readonly memberName: string
  /** Results go to the supervisor before a task is complete. */
  readonly reviewRequired: boolean
}

/** Checked before each request to a model. */
export interface Budget {
  readonly maxTokens?: number
  readonly maxCostUsd?: number
}

export interface TeamDraft {
  readonly name: string
  readonly description?: string
  readonly executionMode: ExecutionMode
  readonly members: readonly Member[]
  readonly supervisor?: Supervisor
  readonly budget?: Budget
}

export interface TaskCounts {
  readonly tasksTotal: number
  readonly tasksCompleted: number
  readonly tasksFailed: number
  readonly tasksCancelled: number
  /** Every task that has not ended. */
  readonly tasksPending: number
  readonly tasksActive: number
}

export interface Team extends TeamDraft, TaskCounts {
  readonly id: string
  readonly status: TeamStatus
  readonly createdAt: string
  /** The last start. */
  readonly startedAt?: string
  /** Why it is paused, where nobody paused it by hand. */
  readonly pauseReason?: string
  /** Of all its tasks, routing and review included. */
  readonly spent: SpentUsage
}

export interface TeamMetrics extends TaskCounts {
  readonly membersActive: number
  readonly uptimeSeconds: number
  readonly spent: SpentUsage
}
