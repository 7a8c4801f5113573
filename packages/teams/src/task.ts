import type { SpentUsage } from '@quire/agent/spent'

export const TASK_STATUSES = [
  'pending',
  'assigned',
  'in_progress',
  'in_review',
  'completed',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Most urgent first. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

export interface TaskDraft {
  readonly title: string
  readonly description: string
  readonly priority: Priority
  /** The name of a member; absent: whoever is chosen. */
  readonly assignedTo?: string
  /** Ids of tasks of the same team. */
  readonly dependsOn: readonly string[]
  /** Of one attempt. */
  readonly timeoutSeconds: number
  /** How often a failed attempt is followed by another. */
  readonly maxRetries: number
}

export interface TaskError {
  /** A sentence: what happened, why, what to do next. */
  readonly message: string
  /** A class that a program can act upon: an `AgentFault`, or `timeout`, `budget`, `review`, `crashed`. */
  readonly code: string
}

export interface Task extends TaskDraft {
  readonly id: string
  readonly teamId: string
  readonly status: TaskStatus
  /** Who has it, or had it last: of a task that waits, the one it was given to, where it was. */
  readonly member?: string
  readonly result?: string
  readonly error?: TaskError
  /** Begun so far. */
  readonly attempts: number
  /** How often its result came back from review. */
  readonly rejections: number
  readonly spent: SpentUsage
  readonly createdAt: string
  readonly assignedAt?: string
  readonly startedAt?: string
  readonly endedAt?: string
  /** A sentence, while it is pending. */
  readonly waitingFor?: string
}
