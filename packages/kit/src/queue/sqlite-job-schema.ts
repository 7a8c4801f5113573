import { type Kysely, sql } from 'kysely'
import type { Store } from '../store/store.ts'
import type { JobState } from './queue.ts'

export type JobSchema = {
  queue_job: {
    /** Oldest first. */
    seq: number | null
    id: string
    queue: string
    state: JobState
    priority: number
    payload: string
    attempts: number
    retry_limit: number
    backoff_ms: number
    max_backoff_ms: number
    run_at: number
    lease_owner: string | null
    lease_until: number | null
    finished_at: number | null
    error: string | null
  }
}

export function migrateJobs(store: Store): Promise<void> {
  return store.migrate('queue', {
    '001_job': {
      up: async (db: Kysely<unknown>) => {
        await sql`
          create table queue_job (
            seq integer primary key autoincrement,
            id text not null unique,
            queue text not null,
            state text not null,
            priority integer not null,
            payload text not null,
            attempts integer not null,
            retry_limit integer not null,
            backoff_ms integer not null,
            max_backoff_ms integer not null,
            run_at integer not null,
            lease_owner text,
            lease_until integer,
            finished_at integer,
            error text
          )`.execute(db)
        for (const [name, columns, condition] of [
          ['next', 'queue, priority desc, seq', "state = 'waiting'"],
          ['due', 'queue, run_at', "state = 'waiting'"],
          ['leased', 'queue, lease_until', "state = 'running'"],
          ['finished', 'finished_at', 'finished_at is not null'],
        ] as const)
          await sql`create index ${sql.ref(`queue_job_${name}`)} on queue_job (${sql.raw(columns)}) where ${sql.raw(condition)}`.execute(
            db,
          )
      },
    },
  })
}
