import type { TaskStatus } from '../task.ts'
import { freeMember } from './end-task.ts'
import { type EngineStore, endJob, type TeamChange } from './team-change.ts'

/** What nobody works on: it waits for its worker, or for the supervisor to say whose it is. */
const NOT_BEGUN: readonly TaskStatus[] = ['pending', 'assigned']

/** Tasks that have a job are aborted and wait again, with the steps that they have stored. */
export async function putBack(
  engine: EngineStore,
  change: TeamChange,
  which: 'all' | 'not begun',
): Promise<void> {
  const { db } = change.tx
  let query = db
    .selectFrom('team_task')
    .select(['id', 'job_id', 'member'])
    .where('team_id', '=', change.team().id)
    .where('job_id', 'is not', null)
  if (which === 'not begun') query = query.where('status', 'in', NOT_BEGUN)
  for (const task of await query.execute()) {
    await endJob(engine, change, task.job_id)
    await db
      .updateTable('team_task')
      .set({ status: 'pending', member: null, job_id: null, runner: null })
      .where('id', '=', task.id)
      .execute()
    await freeMember(change, task)
  }
}

/** Once, whoever notices first. */
export async function pauseForBudget(engine: EngineStore, change: TeamChange, reason: string): Promise<void> {
  if (change.team().status !== 'running') return
  change.set({ status: 'paused', pause_reason: reason })
  await putBack(engine, change, 'not begun')
  change.tell('team_paused', { reason: 'budget', detail: reason })
}
