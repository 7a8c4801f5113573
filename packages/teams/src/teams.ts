import type { LoggedEvent } from '@quire/kit/event-log/event-log'
import type { Task, TaskDraft, TaskStatus } from './task.ts'
import type { Budget, Team, TeamDraft, TeamMetrics } from './team.ts'
import type { NewTeamEvent } from './team-event.ts'

export type TeamEvent = LoggedEvent<NewTeamEvent>

export interface Page {
  /** Absent: all. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export interface CreatedTask {
  readonly task: Task
  /** False: the idempotency key was used before, and this is what came of it. */
  readonly isNew: boolean
}

/**
 * Teams and their tasks. Whatever is answered is committed. Unknown ids are `not_found`, what the state does not allow is a `conflict`, and what names
 * strangers (members, dependencies) is `invalid`: all of them kit's `CallerError`.
 */
export interface Teams {
  create(draft: TeamDraft): Promise<Team>
  list(page?: Page): Promise<readonly Team[]>
  get(teamId: string): Promise<Team>
  /** Work in flight is aborted first. */
  delete(teamId: string): Promise<void>
  start(teamId: string): Promise<Team>
  /** Running tasks are aborted, go back to `pending` and are kept. */
  stop(teamId: string): Promise<Team>
  /** Running tasks finish; none is begun. */
  pause(teamId: string): Promise<Team>
  resume(teamId: string): Promise<Team>
  /** What is given is called with the present budget, and nobody changes it meanwhile. */
  changeBudget(teamId: string, change: (budget: Budget) => Budget): Promise<Team>
  metrics(teamId: string): Promise<TeamMetrics>

  createTask(teamId: string, draft: TaskDraft, idempotencyKey?: string): Promise<CreatedTask>
  /** In the order of their creation. */
  listTasks(
    teamId: string,
    query?: Page & { readonly status?: TaskStatus | undefined },
  ): Promise<readonly Task[]>
  getTask(teamId: string, taskId: string): Promise<Task>
  cancelTask(teamId: string, taskId: string): Promise<Task>
  /** One that failed or was cancelled. */
  retryTask(teamId: string, taskId: string): Promise<Task>

  /** The newest `limit`, oldest first. */
  lastEvents(teamId: string, limit: number): Promise<readonly TeamEvent[]>
  /** Replays, then goes on live, without gap or repetition; ends with the signal, or when the team is deleted. */
  events(teamId: string, from: EventStart, signal: AbortSignal): Promise<AsyncIterable<TeamEvent>>
}

/** What comes after this number, or the newest so many. */
export type EventStart = { readonly after: number } | { readonly last: number }
