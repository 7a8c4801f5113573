import type { SpentUsage } from '@quire/agent/spent'
import { CallerError } from '@quire/kit/errors'
import { fromJson } from '@quire/kit/store/json'
import type { Transaction } from '@quire/kit/store/store'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Budget, Member, Supervisor, TaskCounts, Team } from '../team.ts'
import type { TeamSchema, TeamStore } from './tables.ts'

export type TeamRow = Selectable<TeamSchema['team']>

/** The team, and nobody else changes it or its tasks until the commit: every change of a team begins with this. */
export async function lockTeam(
  { kind }: Pick<TeamStore, 'kind'>,
  { db }: Transaction<TeamSchema>,
  teamId: string,
): Promise<TeamRow> {
  // On SQLite a transaction is the only writer anyway.
  const row =
    kind === 'sqlite'
      ? await db.selectFrom('team').selectAll().where('id', '=', teamId).executeTakeFirst()
      : await db
          .updateTable('team')
          .set({ name: sql`name` })
          .where('id', '=', teamId)
          .returningAll()
          .executeTakeFirst()
  if (row) return row
  throw noTeam(teamId)
}

export function noTeam(teamId: string): CallerError {
  return new CallerError('not_found', `There is no team ${quote(teamId)}. GET /teams lists them.`)
}

export function quote(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id)
}

export function membersOf({ members }: Pick<TeamRow, 'members'>): readonly Member[] {
  return fromJson<Member[]>(members)
}

export function supervisorOf({ supervisor }: Pick<TeamRow, 'supervisor'>): Supervisor | undefined {
  return supervisor === null ? undefined : fromJson<Supervisor>(supervisor)
}

export function budgetOf({ budget }: Pick<TeamRow, 'budget'>): Budget {
  return fromJson<Budget>(budget)
}

export function toTeam(row: TeamRow, tasksActive: number): Team {
  const supervisor = supervisorOf(row)
  const budget = budgetOf(row)
  return {
    id: row.id,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    executionMode: row.mode,
    members: membersOf(row),
    ...(supervisor && { supervisor }),
    ...(Object.keys(budget).length > 0 && { budget }),
    status: row.status,
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.pause_reason !== null && { pauseReason: row.pause_reason }),
    spent: fromJson<SpentUsage>(row.spent),
    ...countTasks(row, tasksActive),
  }
}

/** The row has counted those that ended. */
export function countTasks(row: TeamRow, tasksActive: number): TaskCounts {
  return {
    tasksTotal: row.tasks_total,
    tasksCompleted: row.tasks_completed,
    tasksFailed: row.tasks_failed,
    tasksCancelled: row.tasks_cancelled,
    tasksPending: row.tasks_total - row.tasks_completed - row.tasks_failed - row.tasks_cancelled,
    tasksActive,
  }
}

export async function readMembers(db: Kysely<TeamSchema>, teamId: string) {
  return db
    .selectFrom('team_member')
    .select(['name', 'active', 'taken'])
    .where('team_id', '=', teamId)
    .orderBy('position')
    .execute()
}
