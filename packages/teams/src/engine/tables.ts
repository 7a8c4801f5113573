import type { AnyStore, Store } from '@quire/kit/store/store'
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { TaskStatus } from '../task.ts'
import type { ExecutionMode, TeamStatus } from '../team.ts'

/** Texts that are written by `toJson` are named after what they hold. */
export type TeamSchema = {
  team: {
    id: string
    name: string
    description: string | null
    mode: ExecutionMode
    status: TeamStatus
    members: string
    supervisor: string | null
    budget: string
    spent: string
    created_at: string
    started_at: string | null
    stopped_at: string | null
    pause_reason: string | null
    /** Counted where they change, so that they add up at every moment. */
    tasks_total: number
    tasks_completed: number
    tasks_failed: number
    tasks_cancelled: number
  }
  team_member: {
    team_id: string
    name: string
    position: number
    /** Tasks that it has now. */
    active: number
    /** Tasks that it was given so far. */
    taken: number
  }
  team_task: {
    id: string
    team_id: string
    /** From 1, dense, in the order of their creation. */
    number: number
    title: string
    description: string
    /** 0 is the most urgent. */
    priority: number
    assigned_to: string | null
    depends_on: string
    timeout_seconds: number
    max_retries: number
    status: TaskStatus
    /** Whose it is to be: who was asked for, or whom the supervisor chose. Empty: whoever is free. */
    wanted: string
    /** Who has it. */
    member: string | null
    /** Dependencies that are not complete. */
    blockers: number
    /** Not to be begun before, in epoch milliseconds. */
    not_before: number
    /** Of the job that is to run it, or runs it, or asks whose it is to be. */
    job_id: string | null
    /** Of the run that may write. */
    runner: string | null
    attempts: number
    /** The last attempt can be gone on with. */
    attempt_open: number
    attempt_started_at: number
    /** Attempts that failed since the last time somebody asked for the task. */
    failures: number
    /** A result that is being reviewed. */
    proposed: string | null
    /** Why results were returned. */
    reasons: string
    result: string | null
    error: string | null
    spent: string
    created_at: string
    assigned_at: string | null
    started_at: string | null
    ended_at: string | null
    idempotency_key: string | null
    /** Of what came with the key. */
    request_hash: string | null
  }
  team_dependency: { depends_on: string; task_id: string; team_id: string }
  /** The journal of an attempt, without the message that opens it. */
  team_step: {
    task_id: string
    attempt: number
    number: number
    team_id: string
    message: string
    spent: string
  }
}

export type TeamStore = Store<TeamSchema>

/** To be called once, before anything else of the service touches the store. */
export async function migrateTables(store: AnyStore): Promise<void> {
  await store.migrate('teams', { '001_tables': createTables(store.kind) })
}

function createTables(kind: Store['kind']): Migration {
  // In the order of the key, instead of once by number and once by key.
  const clustered = <Table extends CreateTableBuilder<string, string>>(table: Table) =>
    kind === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('team')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('description', 'text')
        .addColumn('mode', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('members', 'text', (column) => column.notNull())
        .addColumn('supervisor', 'text')
        .addColumn('budget', 'text', (column) => column.notNull())
        .addColumn('spent', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('started_at', 'text')
        .addColumn('stopped_at', 'text')
        .addColumn('pause_reason', 'text')
        .addColumn('tasks_total', 'bigint', (column) => column.notNull())
        .addColumn('tasks_completed', 'bigint', (column) => column.notNull())
        .addColumn('tasks_failed', 'bigint', (column) => column.notNull())
        .addColumn('tasks_cancelled', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('team_member')
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('active', 'integer', (column) => column.notNull())
        .addColumn('taken', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('team_member_key', ['team_id', 'name'])
        .$call(clustered)
        .execute()
      await db.schema
        .createTable('team_task')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('number', 'bigint', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('description', 'text', (column) => column.notNull())
        .addColumn('priority', 'integer', (column) => column.notNull())
        .addColumn('assigned_to', 'text')
        .addColumn('depends_on', 'text', (column) => column.notNull())
        .addColumn('timeout_seconds', 'integer', (column) => column.notNull())
        .addColumn('max_retries', 'integer', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('wanted', 'text', (column) => column.notNull())
        .addColumn('member', 'text')
        .addColumn('blockers', 'integer', (column) => column.notNull())
        .addColumn('not_before', 'bigint', (column) => column.notNull())
        .addColumn('job_id', 'text')
        .addColumn('runner', 'text')
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('attempt_open', 'integer', (column) => column.notNull())
        .addColumn('attempt_started_at', 'bigint', (column) => column.notNull())
        .addColumn('failures', 'integer', (column) => column.notNull())
        .addColumn('proposed', 'text')
        .addColumn('reasons', 'text', (column) => column.notNull())
        .addColumn('result', 'text')
        .addColumn('error', 'text')
        .addColumn('spent', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('assigned_at', 'text')
        .addColumn('started_at', 'text')
        .addColumn('ended_at', 'text')
        .addColumn('idempotency_key', 'text')
        .addColumn('request_hash', 'text')
        .addUniqueConstraint('team_task_number', ['team_id', 'number'])
        .execute()
      await db.schema
        .createTable('team_dependency')
        .addColumn('depends_on', 'text', (column) => column.notNull())
        .addColumn('task_id', 'text', (column) => column.notNull())
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('team_dependency_key', ['depends_on', 'task_id'])
        .$call(clustered)
        .execute()
      await db.schema
        .createTable('team_step')
        .addColumn('task_id', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('team_id', 'text', (column) => column.notNull())
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('spent', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('team_step_key', ['task_id', 'attempt', 'number'])
        .$call(clustered)
        .execute()
      for (const [name, on] of INDEXES)
        await sql`create ${sql.raw(name.endsWith('_key') ? 'unique index' : 'index')} ${sql.ref(name)} on ${sql.raw(on)}`.execute(
          db,
        )
    },
  }
}

const INDEXES = [
  ['team_task_ready', "team_task (team_id, priority, number) where status = 'pending' and blockers = 0"],
  [
    'team_task_ready_for',
    "team_task (team_id, wanted, priority, number) where status = 'pending' and blockers = 0",
  ],
  ['team_task_with_job', 'team_task (team_id, job_id) where job_id is not null'],
  ['team_task_of_status', 'team_task (team_id, status, number)'],
  ['team_task_request_key', 'team_task (team_id, idempotency_key) where idempotency_key is not null'],
  ['team_dependency_of_task', 'team_dependency (task_id)'],
  ['team_step_of_team', 'team_step (team_id)'],
  ['team_dependency_of_team', 'team_dependency (team_id)'],
] as const
