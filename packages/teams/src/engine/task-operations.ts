import { createHash } from 'node:crypto'
import { NOTHING_SPENT } from '@quire/agent/spent'
import { CallerError } from '@quire/kit/errors'
import { toJson } from '@quire/kit/store/json'
import { createRowId } from '@quire/kit/store/row-id'
import { PRIORITIES, type Task, type TaskDraft, type TaskStatus } from '../task.ts'
import type { CreatedTask, Page, Teams } from '../teams.ts'
import { endTask } from './end-task.ts'
import { findTask, readBlockers, requireTask, type TaskRow, toTask } from './task-rows.ts'
import { changeTeam, type EngineStore, endJob, type TeamChange } from './team-change.ts'
import { membersOf, noTeam, quote, readMembers, type TeamRow } from './team-rows.ts'
import { explainWaiting } from './waiting.ts'

type TaskOperations = Pick<Teams, 'createTask' | 'listTasks' | 'getTask' | 'cancelTask' | 'retryTask'>

export function createTaskOperations(engine: EngineStore): TaskOperations {
  const { store, now } = engine

  async function createTask(teamId: string, draft: TaskDraft, idempotencyKey?: string): Promise<CreatedTask> {
    const requestHash = createHash('sha256')
      .update(JSON.stringify(canonical(draft)))
      .digest('hex')
    const { row, isNew } = await changeTeam(engine, teamId, async (change) => {
      const known = idempotencyKey === undefined ? undefined : await findByKey(change, idempotencyKey)
      if (known === undefined)
        return { row: await insertTask(change, draft, { idempotencyKey, requestHash }), isNew: true }
      if (known.request_hash === requestHash) return { row: known, isNew: false }
      throw new CallerError(
        'validation',
        'This Idempotency-Key was used for another task of this team. Use a new key for a new task, or send the same body again.',
      )
    })
    // What was acknowledged is a task that waits, however quickly it is begun.
    return { task: isNew ? toTask(row) : await show(row), isNew }
  }

  async function insertTask(
    change: TeamChange,
    draft: TaskDraft,
    request: { readonly idempotencyKey: string | undefined; readonly requestHash: string },
  ): Promise<TaskRow> {
    const team = change.team()
    const { db } = change.tx
    assertMember(team, draft.assignedTo)
    const dependsOn = [...new Set(draft.dependsOn)]
    const row: TaskRow = {
      id: createRowId(),
      team_id: team.id,
      number: team.tasks_total + 1,
      title: draft.title,
      description: draft.description,
      priority: PRIORITIES.indexOf(draft.priority),
      assigned_to: draft.assignedTo ?? null,
      depends_on: toJson(dependsOn),
      timeout_seconds: draft.timeoutSeconds,
      max_retries: draft.maxRetries,
      status: 'pending',
      wanted: draft.assignedTo ?? '',
      member: null,
      blockers: await countBlockers(change, dependsOn),
      not_before: 0,
      job_id: null,
      runner: null,
      attempts: 0,
      attempt_open: 0,
      attempt_started_at: 0,
      failures: 0,
      proposed: null,
      reasons: '[]',
      result: null,
      error: null,
      spent: toJson(NOTHING_SPENT),
      created_at: now().toISOString(),
      assigned_at: null,
      started_at: null,
      ended_at: null,
      idempotency_key: request.idempotencyKey ?? null,
      request_hash: request.idempotencyKey === undefined ? null : request.requestHash,
    }
    await db.insertInto('team_task').values(row).execute()
    if (dependsOn.length > 0)
      await db
        .insertInto('team_dependency')
        .values(dependsOn.map((depends_on) => ({ depends_on, task_id: row.id, team_id: team.id })))
        .execute()
    change.count('tasks_total', 1)
    change.tell('task_created', { task_id: row.id, title: row.title, priority: draft.priority })
    if (draft.assignedTo !== undefined)
      change.tell('task_assigned', { task_id: row.id, assigned_to: draft.assignedTo })
    change.dispatch()
    return row
  }

  async function listTasks(
    teamId: string,
    { status, limit, offset = 0 }: Page & { readonly status?: TaskStatus | undefined } = {},
  ): Promise<readonly Task[]> {
    const team = await findTeam(teamId)
    let query = store.db.selectFrom('team_task').selectAll().where('team_id', '=', teamId).orderBy('number')
    if (status !== undefined) query = query.where('status', '=', status)
    if (limit !== undefined || offset > 0) query = query.limit(limit ?? EVERYTHING).offset(offset)
    return showAll(team, await query.execute())
  }

  async function getTask(teamId: string, taskId: string): Promise<Task> {
    await findTeam(teamId)
    return show(await requireTask(store.db, teamId, taskId))
  }

  async function cancelTask(teamId: string, taskId: string): Promise<Task> {
    await changeTeam(engine, teamId, async (change) => {
      const row = await requireTask(change.tx.db, teamId, taskId)
      if (ENDED.has(row.status)) throw cannot(row, 'cancelled', 'Only one that has not ended can be.')
      await endJob(engine, change, row.job_id)
      await endTask(engine, change, row, { status: 'cancelled' })
    })
    return getTask(teamId, taskId)
  }

  async function retryTask(teamId: string, taskId: string): Promise<Task> {
    await changeTeam(engine, teamId, async (change) => {
      const row = await requireTask(change.tx.db, teamId, taskId)
      if (row.status !== 'failed' && row.status !== 'cancelled')
        throw cannot(row, 'retried', 'Only one that failed or was cancelled can be.')
      await change.tx.db
        .updateTable('team_task')
        .set({
          ...{ status: 'pending', member: null, not_before: 0, failures: 0, attempt_open: 0 },
          ...{ proposed: null, reasons: '[]', result: null, error: null, ended_at: null },
        })
        .where('id', '=', taskId)
        .execute()
      change.count(row.status === 'failed' ? 'tasks_failed' : 'tasks_cancelled', -1)
      change.tell('task_retried', { task_id: taskId, attempt: row.attempts + 1, requested: true })
      change.dispatch()
    })
    return getTask(teamId, taskId)
  }

  async function findTeam(teamId: string): Promise<TeamRow> {
    const team = await store.db.selectFrom('team').selectAll().where('id', '=', teamId).executeTakeFirst()
    if (team) return team
    throw noTeam(teamId)
  }

  async function show(row: TaskRow): Promise<Task> {
    const [task] = await showAll(await findTeam(row.team_id), [row])
    return task ?? toTask(row)
  }

  async function showAll(team: TeamRow, rows: readonly TaskRow[]): Promise<readonly Task[]> {
    const waiting = rows.filter(({ status }) => status === 'pending')
    if (waiting.length === 0) return rows.map((row) => toTask(row))
    const blocked = waiting.filter(({ blockers }) => blockers > 0).map(({ id }) => id)
    const blockers = await readBlockers(store.db, blocked)
    const members = await readMembers(store.db, team.id)
    const busyMembers = new Set(members.filter(({ active }) => active > 0).map(({ name }) => name))
    const at = now().getTime()
    return rows.map((row) =>
      toTask(row, explainWaiting(row, { team, busyMembers, blockers: blockers.get(row.id) ?? [], now: at })),
    )
  }

  return { createTask, listTasks, getTask, cancelTask, retryTask }
}

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled'])
/** SQLite takes an offset only behind a limit. */
const EVERYTHING = Number.MAX_SAFE_INTEGER

function cannot({ status }: TaskRow, participle: string, rule: string): CallerError {
  return new CallerError('conflict', `A task that is ${status} cannot be ${participle}. ${rule}`)
}

function assertMember(team: TeamRow, name: string | undefined): void {
  if (name === undefined) return
  const names = membersOf(team).map((member) => member.name)
  if (names.includes(name)) return
  const message = `is no member of the team: ${names.join(', ')} are.`
  throw new CallerError('validation', `"assigned_to": ${quote(name)} ${message}`, {
    errors: [{ path: 'body.assigned_to', message }],
  })
}

/** Tasks name only tasks that are there before them, so that no circle can be made. */
async function countBlockers({ tx, team }: TeamChange, dependsOn: readonly string[]): Promise<number> {
  let blockers = 0
  for (const [index, id] of dependsOn.entries()) {
    const task = await findTask(tx.db, team().id, id)
    if (!task) {
      const message = 'is no task of this team. A task can depend on tasks that were created before it.'
      throw new CallerError('validation', `"depends_on": ${quote(id)} ${message}`, {
        errors: [{ path: `body.depends_on[${index}]`, message }],
      })
    }
    if (task.status !== 'completed') blockers += 1
  }
  return blockers
}

async function findByKey({ tx, team }: TeamChange, key: string): Promise<TaskRow | undefined> {
  return tx.db
    .selectFrom('team_task')
    .selectAll()
    .where('team_id', '=', team().id)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
}

/** The same whatever the order of the fields was. */
function canonical(draft: TaskDraft): unknown {
  return Object.entries(draft).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
