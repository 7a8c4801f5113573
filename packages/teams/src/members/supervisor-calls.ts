import type { SpentUsage } from '@quire/agent/spent'
import type { Task } from '../task.ts'
import type { Team } from '../team.ts'
import type { BudgetGate, TaskInput } from './members.ts'

interface SupervisorCall {
  /** Has a supervisor. */
  readonly team: Team
  readonly task: Task
  readonly inputs: readonly TaskInput[]
  /** Of this question, and the same when it is asked again after a crash. */
  readonly callId: string
  readonly gate: BudgetGate
  readonly signal: AbortSignal
}

export interface Candidate {
  readonly name: string
  /** It has a task now. */
  readonly isBusy: boolean
  /** How many it was given so far. */
  readonly taken: number
}

export interface RouteCall extends SupervisorCall {
  /** In the order of the team's members. */
  readonly candidates: readonly Candidate[]
}

export interface Routing {
  /** One of the candidates. */
  readonly memberName: string
  readonly reason: string
  /** The supervisor made no sense, and the rule decided: the first of those free, else of all, who were given fewest tasks, the supervisor last. */
  readonly isFallback: boolean
  readonly spent: SpentUsage
}

export interface ReviewCall extends SupervisorCall {
  readonly memberName: string
  readonly result: string
  /** Why earlier results of this task were returned, oldest first. */
  readonly earlierReasons: readonly string[]
}

export interface Verdict {
  readonly isApproved: boolean
  readonly reasons: string
  /** The supervisor made no sense, and the rule decided: what is not approved is returned. */
  readonly isFallback: boolean
  readonly spent: SpentUsage
}

/** What the supervisor of a team is asked. Both throw as `Members.run` does. */
export interface SupervisorCalls {
  route(call: RouteCall): Promise<Routing>
  review(call: ReviewCall): Promise<Verdict>
}
