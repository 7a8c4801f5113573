import { toUsage } from '../routes/team-view.ts'
import type { Task, TaskStatus } from '../task.ts'

/** A task as it was at some moment. */
export interface TaskMoment {
  readonly task: Task
  /** The event that brought it about, where there was one. */
  readonly seq?: number
  readonly at?: string
  /** What is to be said beside it. */
  readonly note?: string
}

const STATES = Object.freeze({
  pending: 'TASK_STATE_SUBMITTED',
  assigned: 'TASK_STATE_SUBMITTED',
  in_progress: 'TASK_STATE_WORKING',
  in_review: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
} as const satisfies Record<TaskStatus, string>)

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled'])

export function isEnded({ status }: Task): boolean {
  return ENDED.has(status)
}

export function stateOf({ status }: Task): string {
  return STATES[status]
}

/** When it came to be as it is. */
export function timeOf({ endedAt, startedAt, assignedAt, createdAt }: Task): string {
  return endedAt ?? startedAt ?? assignedAt ?? createdAt
}

/** As A2A 1.0 has it in JSON: https://a2a-protocol.org/v1.0.1/spec/a2a.proto */
export function toWireTask({ task, ...moment }: TaskMoment, contextId: string) {
  return {
    id: task.id,
    contextId,
    status: toWireStatus({ task, ...moment }, contextId),
    ...(hasResult(task) && { artifacts: [toArtifact(task.result)] }),
    metadata: toMetadata(task),
  }
}

export function toWireStatus({ task, at, note }: TaskMoment, contextId: string) {
  const text = note ?? sentenceOf(task)
  return {
    state: stateOf(task),
    timestamp: at ?? timeOf(task),
    ...(text !== undefined && {
      message: {
        messageId: `${task.id}.${task.status}.${task.attempts}`,
        contextId,
        taskId: task.id,
        role: 'ROLE_AGENT',
        parts: [{ text }],
      },
    }),
  }
}

/** The result of a task is its one artifact. */
export function toArtifact(text: string) {
  return { artifactId: 'result', name: 'result', parts: [{ text, mediaType: 'text/plain' }] }
}

export function hasResult(task: Task): task is Task & { readonly result: string } {
  return task.status === 'completed' && task.result !== undefined
}

export function toMetadata({ title, member, assignedTo, attempts, spent }: Task) {
  return { title, assigned_to: member ?? assignedTo ?? null, attempts, usage: toUsage(spent) }
}

function sentenceOf({ status, waitingFor, error }: Task): string | undefined {
  switch (status) {
    case 'pending':
      return waitingFor
    case 'in_review':
      return 'The supervisor is looking at the result.'
    case 'failed':
      return error?.message
    default:
      return undefined
  }
}
