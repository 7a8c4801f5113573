import type { Message } from '@quire/agent/message'
import { fromJson } from '@quire/kit/store/json'
import { openStore } from '@quire/kit/store/store'
import { sql } from 'kysely'
import { WORK_QUEUE } from '../engine/jobs.ts'
import type { TeamSchema } from '../engine/tables.ts'
import type { TaskStatus } from '../task.ts'

export interface StoredTask {
  readonly id: string
  readonly team_id: string
  readonly title: string
  readonly description: string
  readonly status: TaskStatus
  readonly result: string | null
  readonly attempts: number
  readonly depends_on: string
}

export interface StoredStep {
  readonly attempt: number
  readonly number: number
  readonly message: Message
}

/** The database, as somebody sees it who only looks. */
export interface Onlooker {
  /** What does not add up at this moment, of all teams. */
  sample(): Promise<readonly string[]>
  tasks(): Promise<readonly StoredTask[]>
  /** The journals, by task, in order. */
  steps(): Promise<ReadonlyMap<string, readonly StoredStep[]>>
  /** Jobs that some process holds, be it alive or not. */
  heldJobs(): Promise<number>
  /** As if the time had passed that a process keeps its jobs without a word. */
  expireLeases(): Promise<void>
  close(): Promise<void>
}

interface Counts {
  id: string
  mode: string
  tasks_total: number
  tasks_completed: number
  tasks_failed: number
  tasks_cancelled: number
  total: number
  completed: number
  failed: number
  cancelled: number
  active: number
  members_active: number
  wrong_members: number
  busiest: number
}

export async function openOnlooker(url: string): Promise<Onlooker> {
  const store = await openStore<TeamSchema>(url)

  async function sample(): Promise<readonly string[]> {
    // One statement sees one moment.
    const { rows } = await sql<Counts>`
      select team.*, 
        (select count(*) from team_task task where task.team_id = team.id) as total,
        (select count(*) from team_task task where task.team_id = team.id and task.status = 'completed') as completed,
        (select count(*) from team_task task where task.team_id = team.id and task.status = 'failed') as failed,
        (select count(*) from team_task task where task.team_id = team.id and task.status = 'cancelled') as cancelled,
        (select count(*) from team_task task where task.team_id = team.id
          and task.status in ('assigned', 'in_progress', 'in_review')) as active,
        (select sum(active) from team_member member where member.team_id = team.id) as members_active,
        (select max(active) from team_member member where member.team_id = team.id) as busiest,
        (select count(*) from team_member member where member.team_id = team.id and member.active <> (
          select count(*) from team_task task where task.team_id = team.id and task.member = member.name
            and task.status in ('assigned', 'in_progress', 'in_review'))) as wrong_members
      from team`.execute(store.db)
    return rows.filter((row) => !addsUp(row)).map((row) => `counts do not add up: ${JSON.stringify(row)}`)
  }

  return Object.freeze({
    sample,
    async tasks() {
      const rows = await store.db.selectFrom('team_task').selectAll().orderBy('number').execute()
      return rows.map((row) => ({
        ...row,
        result: row.result === null ? null : fromJson<string>(row.result),
      }))
    },
    async steps() {
      const rows = await store.db
        .selectFrom('team_step')
        .selectAll()
        .orderBy('task_id')
        .orderBy('attempt')
        .orderBy('number')
        .execute()
      const steps = rows.map((row) => ({ ...row, message: fromJson<Message>(row.message) }))
      return Map.groupBy(steps, ({ task_id }) => task_id)
    },
    async heldJobs() {
      const held =
        store.kind === 'sqlite'
          ? sql<{ held: number }>`select count(*) as held from queue_job where state = 'running'`
          : sql<{
              held: number
            }>`select count(*) as held from pgboss.job where state = 'active' and name = ${WORK_QUEUE}`
      return (await held.execute(store.db)).rows[0]?.held ?? 0
    },
    async expireLeases() {
      const expire =
        store.kind === 'sqlite'
          ? sql`update queue_job set lease_until = 0 where state = 'running'`
          : sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '10s' where state = 'active'`
      await expire.execute(store.db)
    },
    close: () => store.close(),
  } satisfies Onlooker)
}

function addsUp(row: Counts): boolean {
  return (
    row.tasks_total === row.total &&
    row.tasks_completed === row.completed &&
    row.tasks_failed === row.failed &&
    row.tasks_cancelled === row.cancelled &&
    row.members_active === row.active &&
    row.wrong_members === 0 &&
    row.busiest <= 1 &&
    (row.mode !== 'sequential' || row.active <= 1)
  )
}
