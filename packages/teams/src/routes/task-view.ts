import * as wire from '../contract.ts'
import type { Task, TaskDraft } from '../task.ts'
import { toUsage } from './team-view.ts'

export function toTaskBody(task: Task): wire.Task {
  return {
    task_id: task.id,
    team_id: task.teamId,
    title: task.title,
    description: task.description,
    status: task.status,
    priority: task.priority,
    assigned_to: task.member ?? task.assignedTo ?? null,
    depends_on: [...task.dependsOn],
    timeout_seconds: task.timeoutSeconds,
    max_retries: task.maxRetries,
    result: task.result ?? null,
    error: task.error ? { message: task.error.message, code: task.error.code } : null,
    attempts: task.attempts,
    usage: toUsage(task.spent),
    created_at: task.createdAt,
    assigned_at: task.assignedAt ?? null,
    started_at: task.startedAt ?? null,
    ended_at: task.endedAt ?? null,
    waiting_for: task.waitingFor ?? null,
  }
}

export function toTaskDraft(body: wire.NewTask): TaskDraft {
  const { title, description, priority, assigned_to, depends_on, timeout_seconds, max_retries } = body
  return {
    title,
    description: description ?? '',
    priority,
    ...(typeof assigned_to === 'string' && { assignedTo: assigned_to }),
    dependsOn: [...new Set(depends_on)],
    timeoutSeconds: timeout_seconds ?? wire.DEFAULT_TIMEOUT_SECONDS,
    maxRetries: max_retries ?? wire.DEFAULT_MAX_RETRIES,
  }
}
