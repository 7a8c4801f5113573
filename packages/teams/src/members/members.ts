import type { Message } from '@quire/agent/message'
import type { SpentUsage } from '@quire/agent/spent'
import type { Task, TaskError } from '../task.ts'
import type { Member, Team } from '../team.ts'

/** What another task that this one depends on has come to. */
export interface TaskInput {
  readonly taskId: string
  readonly title: string
  readonly member: string
  readonly result: string
}

/** Whether the team may ask a model once more. */
export interface BudgetGate {
  /** Throws `BudgetSpent`. To be called right before each request to a model. */
  check(): Promise<void>
}

/** The message says which limit was reached, at how much, and what to do. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

export interface MemberWork {
  readonly team: Team
  readonly member: Member
  readonly task: Task
  /** Of this attempt at the task, and the same after a crash: what tool calls and conversations elsewhere are known by. */
  readonly attemptId: string
  /** What the attempt has stored so far, without the opening message, which is made from the task anew. It ends with a user's message where a result was returned. */
  readonly steps: readonly Message[]
  readonly inputs: readonly TaskInput[]
  readonly gate: BudgetGate
  readonly signal: AbortSignal
}

/** One message more, whole. Whoever reads stores it before asking for the next, so that what a tool did is known after a crash. */
export interface Step {
  readonly message: Message
  readonly spent: SpentUsage
  /** What the member has to say in the end. No step follows. */
  readonly result?: string
}

/** Those who do the tasks. */
export interface Members {
  /**
   * Goes on where the steps end. Ends with a step that has a `result`, or throws: `BudgetSpent`, the signal's reason, or whatever
   * `toAttemptFailure` knows to tell.
   */
  run(work: MemberWork): AsyncIterable<Step>
}

export interface AttemptFailure {
  readonly error: TaskError
  /** Another attempt may help. */
  readonly isRetryable: boolean
  /** What a provider asks to wait. */
  readonly retryAfterMs?: number
}
