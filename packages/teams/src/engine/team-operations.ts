import { NOTHING_SPENT } from '@quire/agent/spent'
import { toJson } from '@quire/kit/store/json'
import { createRowId } from '@quire/kit/store/row-id'
import { nextStatus, type Operation } from '../lifecycle.ts'
import type { Budget, Team, TeamDraft, TeamMetrics } from '../team.ts'
import type { Page, Teams } from '../teams.ts'
import { putBack } from './put-back.ts'
import { spentOf } from './task-rows.ts'
import { changeTeam, type EngineStore, type TeamChange } from './team-change.ts'
import { budgetOf, countTasks, noTeam, readMembers, type TeamRow, toTeam } from './team-rows.ts'

type TeamOperations = Pick<
  Teams,
  'create' | 'list' | 'get' | 'delete' | 'start' | 'stop' | 'pause' | 'resume' | 'changeBudget' | 'metrics'
>

export function createTeamOperations(engine: EngineStore): TeamOperations {
  const { store, log, now } = engine

  /** Throws a `conflict` where the state does not allow it. */
  async function move(
    teamId: string,
    operation: Exclude<Operation, 'delete'>,
    alongside: (change: TeamChange) => Promise<void> | void,
  ): Promise<Team> {
    await changeTeam(engine, teamId, async (change) => {
      const next = nextStatus(change.team().status, operation)
      if (next === 'gone') throw new Error(`${operation} deletes no team.`)
      change.set({ status: next, pause_reason: null })
      change.tell(EVENTS[operation], {})
      await alongside(change)
    })
    return get(teamId)
  }

  async function create(draft: TeamDraft): Promise<Team> {
    const id = createRowId()
    await store.transaction(async (tx) => {
      await tx.db
        .insertInto('team')
        .values({
          id,
          name: draft.name,
          description: draft.description ?? null,
          mode: draft.executionMode,
          status: 'draft',
          members: toJson(draft.members),
          supervisor: draft.supervisor ? toJson(draft.supervisor) : null,
          budget: toJson(draft.budget ?? {}),
          spent: toJson(NOTHING_SPENT),
          created_at: now().toISOString(),
          started_at: null,
          stopped_at: null,
          pause_reason: null,
          tasks_total: 0,
          tasks_completed: 0,
          tasks_failed: 0,
          tasks_cancelled: 0,
        })
        .execute()
      await tx.db
        .insertInto('team_member')
        .values(
          draft.members.map(({ name }, position) => ({ team_id: id, name, position, active: 0, taken: 0 })),
        )
        .execute()
      await log.append(id, [{ type: 'team_created', data: { name: draft.name } }], tx)
    })
    return get(id)
  }

  async function list({ limit, offset = 0 }: Page = {}): Promise<readonly Team[]> {
    let query = store.db.selectFrom('team').selectAll().orderBy('created_at').orderBy('id')
    if (limit !== undefined || offset > 0) query = query.limit(limit ?? EVERYTHING).offset(offset)
    const rows = await query.execute()
    const active = await store.db
      .selectFrom('team_member')
      .select(['team_id', ({ fn }) => fn.sum<number>('active').as('active')])
      .groupBy('team_id')
      .execute()
    const byTeam = new Map(active.map((row) => [row.team_id, row.active]))
    return rows.map((row) => toTeam(row, byTeam.get(row.id) ?? 0))
  }

  async function find(teamId: string): Promise<TeamRow> {
    const row = await store.db.selectFrom('team').selectAll().where('id', '=', teamId).executeTakeFirst()
    if (row) return row
    throw noTeam(teamId)
  }

  async function get(teamId: string): Promise<Team> {
    const row = await find(teamId)
    return toTeam(row, sumActive(await readMembers(store.db, teamId)))
  }

  async function remove(teamId: string): Promise<void> {
    await changeTeam(engine, teamId, async (change) => {
      nextStatus(change.team().status, 'delete')
      await putBack(engine, change, 'all')
      const { tx } = change
      for (const table of ['team_step', 'team_dependency', 'team_task', 'team_member'] as const)
        await tx.db.deleteFrom(table).where('team_id', '=', teamId).execute()
      await tx.db.deleteFrom('team').where('id', '=', teamId).execute()
      await log.remove(teamId, tx)
    })
  }

  async function metrics(teamId: string): Promise<TeamMetrics> {
    const row = await find(teamId)
    const members = await readMembers(store.db, teamId)
    const { started_at, stopped_at } = row
    const end = stopped_at === null ? now().getTime() : Date.parse(stopped_at)
    const uptimeMs = started_at === null ? 0 : end - Date.parse(started_at)
    return {
      ...countTasks(row, sumActive(members)),
      membersActive: members.filter(({ active }) => active > 0).length,
      // A clock that was set back must not show less than nothing.
      uptimeSeconds: Math.max(0, uptimeMs / 1_000),
      spent: spentOf(row),
    }
  }

  return {
    create,
    list,
    get,
    delete: remove,
    metrics,
    start: (teamId) =>
      move(teamId, 'start', (change) => {
        change.set({ started_at: now().toISOString(), stopped_at: null })
        change.dispatch()
      }),
    resume: (teamId) => move(teamId, 'resume', (change) => change.dispatch()),
    pause: (teamId) => move(teamId, 'pause', (change) => putBack(engine, change, 'not begun')),
    stop: (teamId) =>
      move(teamId, 'stop', (change) => {
        change.set({ stopped_at: now().toISOString() })
        return putBack(engine, change, 'all')
      }),
    async changeBudget(teamId: string, changed: (budget: Budget) => Budget) {
      await changeTeam(engine, teamId, async (change) =>
        change.set({ budget: toJson(changed(budgetOf(change.team()))) }),
      )
      return get(teamId)
    },
  }
}

const EVENTS = Object.freeze({
  start: 'team_started',
  stop: 'team_stopped',
  pause: 'team_paused',
  resume: 'team_resumed',
} as const)

/** SQLite takes an offset only behind a limit. */
const EVERYTHING = Number.MAX_SAFE_INTEGER

function sumActive(members: readonly { readonly active: number }[]): number {
  return members.reduce((sum, { active }) => sum + active, 0)
}
