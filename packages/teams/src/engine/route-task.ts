import { AgentError } from '@quire/agent/agent-error'
import { addSpent, NOTHING_SPENT } from '@quire/agent/spent'
import { StoreUnavailable } from '@quire/kit/store/errors'
import { toJson } from '@quire/kit/store/json'
import { BudgetSpent } from '../members/members.ts'
import { chooseByRule } from '../members/routing-rule.ts'
import type { Candidate, Routing } from '../members/supervisor-calls.ts'
import { createBudgetGate } from './budget-gate.ts'
import { pauseForBudget } from './put-back.ts'
import type { Workers } from './run-task.ts'
import { findTask, spentOf, type TaskRow, toTask } from './task-rows.ts'
import { changeTeam, type TeamChange } from './team-change.ts'
import { readMembers, supervisorOf, type TeamRow, toTeam } from './team-rows.ts'
import { startTimeLimit } from './time-limit.ts'

interface RouteJob {
  readonly jobId: string
  readonly teamId: string
  readonly taskId: string
}

const ASK_MS = 120_000

/** Asks the supervisor whose the task is to be. Where it cannot be asked, the rule decides, and the event says so. */
export async function routeTask(workers: Workers, job: RouteJob, signal: AbortSignal): Promise<void> {
  const { engine } = workers
  const { db } = engine.store
  const team = await db.selectFrom('team').selectAll().where('id', '=', job.teamId).executeTakeFirst()
  const task = await findTask(db, job.teamId, job.taskId)
  if (!team || task?.job_id !== job.jobId) return
  const members = await readMembers(db, job.teamId)
  const candidates = members.map(({ name, active, taken }) => ({ name, isBusy: active > 0, taken }))
  try {
    const routing = await ask(workers, { team, task, candidates }, signal)
    await settle(workers, job, (change, row) => choose(change, row, routing))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BudgetSpent)) throw error
    await settle(workers, job, async (change, row) => {
      await change.tx.db.updateTable('team_task').set({ job_id: null }).where('id', '=', row.id).execute()
      await pauseForBudget(workers.engine, change, error.message)
    })
  }
}

interface Question {
  readonly team: TeamRow
  readonly task: TaskRow
  readonly candidates: readonly Candidate[]
}

async function ask(
  { engine, supervisor, logger }: Workers,
  { team, task, candidates }: Question,
  signal: AbortSignal,
): Promise<Routing> {
  const limit = startTimeLimit(ASK_MS)
  try {
    return await supervisor.route({
      team: toTeam(team, 0),
      task: toTask(task),
      inputs: [],
      callId: `${task.id}.route`,
      candidates,
      gate: createBudgetGate(engine.store, team.id),
      signal: AbortSignal.any([signal, limit.signal]),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BudgetSpent || error instanceof StoreUnavailable) throw error
    logger.warn({ err: error, task: task.id }, 'the supervisor could not be asked; the rule decides')
    const why = error instanceof AgentError ? error.message : 'It did not answer.'
    return {
      memberName: chooseByRule(candidates, supervisorOf(team)?.memberName ?? '')?.name ?? '',
      reason: `The supervisor could not be asked, so the rule decided. ${why}`,
      isFallback: true,
      spent: NOTHING_SPENT,
    }
  } finally {
    limit.end()
  }
}

/** If the task still waits for this answer. */
async function settle(
  { engine }: Workers,
  job: RouteJob,
  work: (change: TeamChange, row: TaskRow) => Promise<void>,
): Promise<void> {
  await changeTeam(engine, job.teamId, async (change) => {
    const row = await findTask(change.tx.db, job.teamId, job.taskId)
    if (row?.job_id === job.jobId) await work(change, row)
  })
}

async function choose(change: TeamChange, row: TaskRow, routing: Routing): Promise<void> {
  const { memberName, reason, isFallback, spent } = routing
  await change.tx.db
    .updateTable('team_task')
    .set({ wanted: memberName, job_id: null, spent: toJson(addSpent(spentOf(row), spent)) })
    .where('id', '=', row.id)
    .execute()
  change.spend(spent)
  change.tell('task_assigned', {
    task_id: row.id,
    assigned_to: memberName,
    reason,
    ...(isFallback && { fallback: true }),
  })
  change.dispatch()
}
