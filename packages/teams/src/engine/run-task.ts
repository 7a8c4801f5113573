import type { Logger } from '@quire/kit/log'
import { StoreUnavailable } from '@quire/kit/store/errors'
import { fromJson } from '@quire/kit/store/json'
import { toAttemptFailure } from '../members/attempt-failure.ts'
import { BudgetSpent, type Members, type Step } from '../members/members.ts'
import type { SupervisorCalls } from '../members/supervisor-calls.ts'
import type { Member } from '../team.ts'
import { type Attempt, beginAttempt, TaskLost } from './attempt.ts'
import { createBudgetGate } from './budget-gate.ts'
import { reasonsOf, toTask } from './task-rows.ts'
import type { EngineStore } from './team-change.ts'
import { membersOf, supervisorOf, toTeam } from './team-rows.ts'
import { startTimeLimit } from './time-limit.ts'

export interface Workers {
  readonly engine: EngineStore
  readonly members: Members
  readonly supervisor: SupervisorCalls
  readonly logger: Pick<Logger, 'warn'>
}

interface TaskJob {
  readonly jobId: string
  readonly teamId: string
  readonly taskId: string
}

/** Takes a task up where its journal ends, and brings it to an end that is stored. Rejects where that has to be tried again. */
export async function runTask(workers: Workers, job: TaskJob, signal: AbortSignal): Promise<void> {
  const attempt = await beginAttempt(workers.engine, job)
  if (!attempt) return
  const { task } = attempt.begun
  const used = workers.engine.now().getTime() - task.attempt_started_at
  const leftMs = Math.max(1, Math.min(task.timeout_seconds * 1_000, task.timeout_seconds * 1_000 - used))
  const limit = startTimeLimit(leftMs)
  try {
    await work(workers, attempt, AbortSignal.any([signal, limit.signal]))
  } catch (error) {
    if (error instanceof TaskLost) return
    // Cancelled, stopped, closing: whoever aborted it has said what becomes of the task.
    signal.throwIfAborted()
    if (error instanceof StoreUnavailable) throw error
    await settle(workers, attempt, limit.signal.aborted ? limit.signal.reason : error)
  } finally {
    limit.end()
  }
}

async function settle({ logger }: Workers, attempt: Attempt, error: unknown): Promise<void> {
  try {
    if (error instanceof BudgetSpent) return await attempt.pause(error.message)
    const failure = toAttemptFailure(error)
    if (failure.error.code === 'internal')
      logger.warn({ err: error, task: attempt.begun.task.id }, 'an attempt at a task failed')
    await attempt.fail(failure)
  } catch (failure) {
    if (!(failure instanceof TaskLost)) throw failure
  }
}

async function work(workers: Workers, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { team, task } = attempt.begun
  const isReviewed = supervisorOf(team)?.reviewRequired === true
  let messages = attempt.begun.messages
  let proposed = task.proposed === null ? undefined : fromJson<string>(task.proposed)
  const reasons = [...reasonsOf(task)]
  for (;;) {
    if (proposed === undefined) {
      const steps: Step[] = []
      const last = await runMember(workers, attempt, messages, signal, steps)
      if (!isReviewed) return attempt.complete(last)
      await attempt.propose(last)
      messages = [...messages, ...steps.map(({ message }) => message), last.message]
      proposed = last.result ?? ''
    }
    const verdict = await review(workers, attempt, proposed, reasons, signal)
    if (verdict.isApproved) return attempt.approve(verdict)
    const told = await attempt.returnResult(verdict)
    if (!told) return
    reasons.push(verdict.reasons)
    messages = [...messages, told]
    proposed = undefined
  }
}

/** Each step is stored before the next is asked for; the last one goes with what follows from it. */
async function runMember(
  { engine, members }: Workers,
  { begun, storeStep }: Attempt,
  messages: Attempt['begun']['messages'],
  signal: AbortSignal,
  stored: Step[],
): Promise<Step> {
  const { team, task, inputs } = begun
  const run = members.run({
    team: toTeam(team, 0),
    member: memberOf(begun),
    task: toTask(task),
    attemptId: `${task.id}.${task.attempts}`,
    steps: messages,
    inputs,
    gate: createBudgetGate(engine.store, team.id),
    signal,
  })
  for await (const step of run) {
    if (step.result !== undefined) return step
    await storeStep(step)
    stored.push(step)
  }
  signal.throwIfAborted()
  throw new Error('A member ended without a result.')
}

function memberOf({ team, task }: Attempt['begun']): Member {
  const member = membersOf(team).find(({ name }) => name === task.member)
  if (member) return member
  throw new Error(`The team has no member ${JSON.stringify(task.member)}.`)
}

async function review(
  { engine, supervisor }: Workers,
  { begun }: Attempt,
  result: string,
  earlierReasons: readonly string[],
  signal: AbortSignal,
) {
  const { team, task, inputs } = begun
  return supervisor.review({
    team: toTeam(team, 0),
    task: toTask(task),
    inputs,
    callId: `${task.id}.${task.attempts}.review${earlierReasons.length + 1}`,
    memberName: task.member ?? '',
    result,
    earlierReasons: [...earlierReasons],
    gate: createBudgetGate(engine.store, team.id),
    signal,
  })
}
