import { randomUUID } from 'node:crypto'
import type { Message } from '@quire/agent/message'
import { addSpent, NOTHING_SPENT, type SpentUsage } from '@quire/agent/spent'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { AttemptFailure, Step, TaskInput } from '../members/members.ts'
import type { Verdict } from '../members/supervisor-calls.ts'
import type { TaskStatus } from '../task.ts'
import { wakeLater } from './dispatch.ts'
import { endTask, freeMember } from './end-task.ts'
import { pauseForBudget } from './put-back.ts'
import { findTask, reasonsOf, spentOf, type TaskRow } from './task-rows.ts'
import { changeTeam, type EngineStore, type TeamChange } from './team-change.ts'
import type { TeamRow } from './team-rows.ts'

/** Another run has the task now, or nobody: whatever this one wanted to write is undone. */
export class TaskLost extends Error {
  override readonly name = 'TaskLost'
}

/** What was stored when the run began. */
export interface Begun {
  readonly team: TeamRow
  readonly task: TaskRow
  readonly messages: readonly Message[]
  readonly inputs: readonly TaskInput[]
}

/** The writes of one run of a task. Each throws `TaskLost` when the run may not write any more. */
export interface Attempt {
  readonly begun: Begun
  storeStep(step: Step): Promise<void>
  /** The last step, and the task is complete. */
  complete(step: Step): Promise<void>
  /** The last step, and the supervisor is to look at its result. */
  propose(step: Step): Promise<void>
  approve(verdict: Verdict): Promise<void>
  /** What the member is told, for the next round; undefined where there is none, since the task has failed. */
  returnResult(verdict: Verdict): Promise<Message | undefined>
  /** Another attempt follows later, or the task has failed. */
  fail(failure: AttemptFailure): Promise<void>
  /** The team pauses; the attempt is gone on with when it runs again. */
  pause(reason: string): Promise<void>
}

const RETURNS = 2
const BACKOFF_MS = 1_000
const LONGEST_BACKOFF_MS = 60_000

/** Undefined where the job has nothing to do (any more). */
export async function beginAttempt(
  engine: EngineStore,
  job: { readonly jobId: string; readonly teamId: string; readonly taskId: string },
): Promise<Attempt | undefined> {
  const runner = randomUUID()
  const begun = await changeTeam(engine, job.teamId, async (change) => {
    const row = await findTask(change.tx.db, job.teamId, job.taskId)
    if (!row || row.job_id !== job.jobId) return undefined
    const isNew = row.attempt_open === 0
    return { team: change.team(), isNew, task: await enter(engine, change, row, runner) }
  })
  if (!begun) return undefined
  const { team, task } = begun
  const steps = begun.isNew ? [] : await readSteps(engine, task)
  const messages = steps.map(({ message }) => fromJson<Message>(message))
  return createAttempt(engine, runner, { team, task, messages, inputs: await readInputs(engine, task) })
}

/** A run that goes on after a crash finds the task under way, and tells nobody. */
async function enter(
  { now }: EngineStore,
  change: TeamChange,
  row: TaskRow,
  runner: string,
): Promise<TaskRow> {
  const at = now()
  const isNew = row.attempt_open === 0
  const isPickedUp = row.status === 'assigned'
  const status: TaskStatus = row.proposed === null ? 'in_progress' : 'in_review'
  const values = {
    status,
    runner,
    attempts: isNew ? row.attempts + 1 : row.attempts,
    attempt_open: 1,
    attempt_started_at: isPickedUp ? at.getTime() : row.attempt_started_at,
    started_at: row.started_at ?? at.toISOString(),
  }
  await change.tx.db.updateTable('team_task').set(values).where('id', '=', row.id).execute()
  if (isPickedUp)
    change.tell('task_started', {
      task_id: row.id,
      member: row.member,
      attempt: values.attempts,
      ...(!isNew && { resumed: true }),
    })
  return { ...row, ...values }
}

async function readSteps({ store }: EngineStore, task: TaskRow) {
  return store.db
    .selectFrom('team_step')
    .select('message')
    .where('task_id', '=', task.id)
    .where('attempt', '=', task.attempts)
    .orderBy('number')
    .execute()
}

async function readInputs({ store }: EngineStore, { depends_on }: TaskRow): Promise<readonly TaskInput[]> {
  const ids = fromJson<string[]>(depends_on)
  if (ids.length === 0) return []
  const rows = await store.db
    .selectFrom('team_task')
    .select(['id', 'title', 'member', 'result'])
    .where('id', 'in', ids)
    .orderBy('number')
    .execute()
  return rows.map(({ id, title, member, result }) => ({
    taskId: id,
    title,
    member: member ?? '',
    result: result === null ? '' : fromJson<string>(result),
  }))
}

function createAttempt(engine: EngineStore, runner: string, begun: Begun): Attempt {
  const { team, task } = begun
  let number = begun.messages.length

  /** In one transaction, if the task is still this run's. */
  async function write<Result>(work: (change: TeamChange, row: TaskRow) => Promise<Result>): Promise<Result> {
    return changeTeam(engine, team.id, async (change) => {
      const row = await findTask(change.tx.db, team.id, task.id)
      if (row?.runner !== runner) throw new TaskLost()
      return work(change, row)
    })
  }

  async function insertStep({ tx }: TeamChange, message: Message, spent: SpentUsage): Promise<void> {
    number += 1
    await tx.db
      .insertInto('team_step')
      .values({
        task_id: task.id,
        attempt: task.attempts,
        number,
        team_id: team.id,
        message: toJson(message),
        spent: toJson(spent),
      })
      .execute()
  }

  async function update({ tx }: TeamChange, values: Partial<TaskRow>): Promise<void> {
    await tx.db.updateTable('team_task').set(values).where('id', '=', task.id).execute()
  }

  function add(change: TeamChange, row: TaskRow, spent: SpentUsage): Partial<TaskRow> {
    change.spend(spent)
    return { spent: toJson(addSpent(spentOf(row), spent)) }
  }

  async function fail({ error, isRetryable, retryAfterMs = 0 }: AttemptFailure): Promise<void> {
    await write(async (change, row) => {
      if (!isRetryable || row.failures >= row.max_retries)
        return endTask(engine, change, row, { status: 'failed', error })
      const delayMs = Math.max(retryAfterMs, Math.min(BACKOFF_MS * 2 ** row.failures, LONGEST_BACKOFF_MS))
      const notBefore = engine.now().getTime() + delayMs
      await update(change, {
        ...{ status: 'pending', member: null, job_id: null, runner: null, error: toJson(error) },
        // What waits for its review is not done once more.
        attempt_open: row.proposed === null ? 0 : 1,
        failures: row.failures + 1,
        not_before: notBefore,
      })
      await freeMember(change, row)
      await wakeLater(engine, change, notBefore)
      change.tell('task_retried', {
        task_id: row.id,
        attempt: row.attempts + 1,
        error,
        retry_in_seconds: Math.ceil(delayMs / 1_000),
      })
      change.dispatch()
    })
  }

  return Object.freeze({
    begun,
    fail,
    storeStep: ({ message, spent }) =>
      write(async (change, row) => {
        await insertStep(change, message, spent)
        await update(change, add(change, row, spent))
      }),
    complete: ({ message, spent, result = '' }) =>
      write(async (change, row) => {
        await insertStep(change, message, spent)
        await endTask(engine, change, row, { status: 'completed', result, spent })
      }),
    propose: ({ message, spent, result = '' }) =>
      write(async (change, row) => {
        await insertStep(change, message, spent)
        await update(change, { ...add(change, row, spent), status: 'in_review', proposed: toJson(result) })
        change.tell('task_review_requested', {
          task_id: row.id,
          member: row.member,
          round: reasonsOf(row).length + 1,
        })
      }),
    approve: ({ spent, reasons }) =>
      write(async (change, row) => {
        const result = row.proposed === null ? '' : fromJson<string>(row.proposed)
        await endTask(engine, change, row, { status: 'completed', result, spent, review: reasons })
      }),
    returnResult: (verdict) =>
      write(async (change, row) => {
        const reasons = [...reasonsOf(row), verdict.reasons]
        change.tell('task_review_rejected', {
          task_id: row.id,
          member: row.member,
          reasons: verdict.reasons,
          ...(verdict.isFallback && { fallback: true }),
        })
        const returned = { reasons: toJson(reasons) }
        if (reasons.length > RETURNS) {
          await update(change, returned)
          const message = `The supervisor returned the result ${reasons.length} times; the last time it said: ${verdict.reasons}`
          await endTask(engine, change, row, {
            status: 'failed',
            error: { code: 'review', message },
            spent: verdict.spent,
          })
          return undefined
        }
        const told: Message = { role: 'user', text: toReturnText(verdict.reasons) }
        await insertStep(change, told, NOTHING_SPENT)
        await update(change, {
          ...add(change, row, verdict.spent),
          ...returned,
          ...{ status: 'in_progress', proposed: null },
        })
        return told
      }),
    pause: (reason) =>
      write(async (change, row) => {
        await update(change, { status: 'pending', member: null, job_id: null, runner: null })
        await freeMember(change, row)
        await pauseForBudget(engine, change, reason)
      }),
  } satisfies Attempt)
}

function toReturnText(reasons: string): string {
  return `Your result was looked at and returned. The reasons:\n\n${reasons}\n\nMend it, and answer with the whole result again.`
}
