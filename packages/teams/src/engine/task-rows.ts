import type { SpentUsage } from '@quire/agent/spent'
import { CallerError } from '@quire/kit/errors'
import { fromJson } from '@quire/kit/store/json'
import { type Kysely, type Selectable, sql } from 'kysely'
import { PRIORITIES, type Task, type TaskError } from '../task.ts'
import type { TeamSchema } from './tables.ts'
import { quote } from './team-rows.ts'

export type TaskRow = Selectable<TeamSchema['team_task']>

export async function findTask(
  db: Kysely<TeamSchema>,
  teamId: string,
  taskId: string,
): Promise<TaskRow | undefined> {
  return db
    .selectFrom('team_task')
    .selectAll()
    .where('id', '=', taskId)
    .where('team_id', '=', teamId)
    .executeTakeFirst()
}

export async function requireTask(db: Kysely<TeamSchema>, teamId: string, taskId: string): Promise<TaskRow> {
  const row = await findTask(db, teamId, taskId)
  if (row) return row
  throw noTask(teamId, taskId)
}

export function noTask(teamId: string, taskId: string): CallerError {
  return new CallerError(
    'not_found',
    `The team has no task ${quote(taskId)}. GET /teams/${teamId}/tasks lists its tasks.`,
  )
}

export function reasonsOf({ reasons }: Pick<TaskRow, 'reasons'>): readonly string[] {
  return fromJson<string[]>(reasons)
}

export function spentOf({ spent }: { readonly spent: string }): SpentUsage {
  return fromJson<SpentUsage>(spent)
}

export function toTask(row: TaskRow, waitingFor?: string): Task {
  const member = row.member ?? (row.wanted === '' ? undefined : row.wanted)
  return {
    id: row.id,
    teamId: row.team_id,
    title: row.title,
    description: row.description,
    priority: PRIORITIES[row.priority] ?? 'medium',
    ...(row.assigned_to !== null && { assignedTo: row.assigned_to }),
    dependsOn: fromJson<string[]>(row.depends_on),
    timeoutSeconds: row.timeout_seconds,
    maxRetries: row.max_retries,
    status: row.status,
    ...(member !== undefined && { member }),
    ...(row.result !== null && { result: fromJson<string>(row.result) }),
    ...(row.error !== null && { error: fromJson<TaskError>(row.error) }),
    attempts: row.attempts,
    rejections: reasonsOf(row).length,
    spent: spentOf(row),
    createdAt: row.created_at,
    ...(row.assigned_at !== null && { assignedAt: row.assigned_at }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(waitingFor !== undefined && { waitingFor }),
  }
}

/** Those that it depends on and that are not complete. */
export async function readBlockers(
  db: Kysely<TeamSchema>,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Pick<TaskRow, 'id' | 'status'>[]>> {
  const found = new Map<string, Pick<TaskRow, 'id' | 'status'>[]>()
  for (let start = 0; start < taskIds.length; start += IDS_AT_ONCE) {
    const rows = await db
      .selectFrom('team_dependency as dependency')
      .innerJoin('team_task as task', 'task.id', 'dependency.depends_on')
      .select(['dependency.task_id', 'task.id', 'task.status'])
      .where('dependency.task_id', 'in', taskIds.slice(start, start + IDS_AT_ONCE))
      .where('task.status', '!=', sql.lit('completed'))
      .orderBy('task.number')
      .execute()
    for (const { task_id, id, status } of rows) {
      const known = found.get(task_id)
      if (known) known.push({ id, status })
      else found.set(task_id, [{ id, status }])
    }
  }
  return found
}

/** Databases bind no more than some ten thousand parameters at once. */
const IDS_AT_ONCE = 500
