import { addSpent, type SpentUsage } from '@quire/agent/spent'
import { toJson } from '@quire/kit/store/json'
import type { TaskError } from '../task.ts'
import { spentOf, type TaskRow } from './task-rows.ts'
import type { EngineStore, TeamChange } from './team-change.ts'

export type TaskEnd =
  | {
      readonly status: 'completed'
      readonly result: string
      readonly spent?: SpentUsage
      /** What the supervisor said to it. */
      readonly review?: string
    }
  | { readonly status: 'failed'; readonly error: TaskError; readonly spent?: SpentUsage }
  | { readonly status: 'cancelled'; readonly spent?: undefined }

/** The one place where tasks end. Its member is free for the next. */
export async function endTask(
  { now }: EngineStore,
  change: TeamChange,
  task: TaskRow,
  end: TaskEnd,
): Promise<void> {
  const { db } = change.tx
  await db
    .updateTable('team_task')
    .set({
      status: end.status,
      job_id: null,
      runner: null,
      proposed: null,
      attempt_open: 0,
      ended_at: now().toISOString(),
      ...(end.status === 'completed' && { result: toJson(end.result), error: null }),
      ...(end.status === 'failed' && { error: toJson(end.error) }),
      ...(end.spent && { spent: toJson(addSpent(spentOf(task), end.spent)) }),
    })
    .where('id', '=', task.id)
    .execute()
  if (end.spent) change.spend(end.spent)
  await freeMember(change, task)
  if (end.status === 'completed')
    await db
      .updateTable('team_task')
      .set((row) => ({ blockers: row('blockers', '-', 1) }))
      .where('id', 'in', (tasks) =>
        tasks.selectFrom('team_dependency').select('task_id').where('depends_on', '=', task.id),
      )
      .execute()
  change.count(COUNTERS[end.status], 1)
  change.tell(EVENTS[end.status], {
    task_id: task.id,
    ...(task.member !== null && { member: task.member }),
    attempts: task.attempts,
    ...(end.status === 'failed' && { error: end.error }),
    ...(end.status === 'completed' && end.review !== undefined && { review: end.review }),
  })
  change.dispatch()
}

/** To be called for every task that leaves its member. */
export async function freeMember(
  { tx, team }: TeamChange,
  { member }: Pick<TaskRow, 'member'>,
): Promise<void> {
  if (member === null) return
  await tx.db
    .updateTable('team_member')
    .set((row) => ({ active: row('active', '-', 1) }))
    .where('team_id', '=', team().id)
    .where('name', '=', member)
    .execute()
}

const COUNTERS = Object.freeze({
  completed: 'tasks_completed',
  failed: 'tasks_failed',
  cancelled: 'tasks_cancelled',
} as const)

const EVENTS = Object.freeze({
  completed: 'task_completed',
  failed: 'task_failed',
  cancelled: 'task_cancelled',
} as const)
