import { CallerError } from '@quire/kit/errors'
import type { Task, TaskStatus } from '../task.ts'
import type { TeamEventType } from '../team-event.ts'
import type { TeamEvent, Teams } from '../teams.ts'
import { isEnded, type TaskMoment } from './wire-task.ts'

export interface Following {
  /** As it was last seen. */
  readonly task: Task
  /** The number of an event that came before that. */
  readonly after: number
}

/** What these say of a task needs no reading: an instant one would be over before anybody could read that it was begun. */
const RUNS: Readonly<Partial<Record<TeamEventType, TaskStatus>>> = Object.freeze({
  task_started: 'in_progress',
  task_review_requested: 'in_review',
  task_review_rejected: 'in_progress',
})
const ENDS: ReadonlySet<TeamEventType> = new Set(['task_completed', 'task_failed', 'task_cancelled'])
/** After these a task may wait, or for something else than before. */
const WAITS: ReadonlySet<TeamEventType> = new Set([
  'task_retried',
  'team_started',
  'team_resumed',
  'team_paused',
  'team_stopped',
])

/** What becomes of a task, up to its end; what happened just before it was seen may be told again. Ends sooner with the signal. */
export async function* followTask(
  teams: Pick<Teams, 'events' | 'getTask'>,
  { task: seen, after }: Following,
  signal: AbortSignal,
): AsyncGenerator<TaskMoment> {
  let task = seen
  try {
    for await (const event of await teams.events(seen.teamId, { after }, signal)) {
      const next = isAbout(event, seen) ? await taskAfter(event.type) : undefined
      if (!next) continue
      task = next
      yield { task, seq: event.seq, at: event.at }
      if (isEnded(task)) return
    }
  } catch (error) {
    if (!(error instanceof CallerError && error.problem.reason === 'not_found')) throw error
  }
  if (!signal.aborted)
    yield { task: { ...task, status: 'cancelled' }, note: 'The team was deleted, and its tasks with it.' }

  /** Where it has gone on meanwhile, the events that follow will tell. */
  async function taskAfter(type: TeamEventType): Promise<Task | undefined> {
    const status = RUNS[type]
    if (status !== undefined) return { ...task, status }
    if (!ENDS.has(type) && !WAITS.has(type)) return undefined
    const now = await teams.getTask(seen.teamId, seen.id)
    return (ENDS.has(type) ? isEnded(now) : now.status === 'pending') ? now : undefined
  }
}

/** Of the task itself, or of its whole team. */
function isAbout({ type, data }: TeamEvent, { id }: Task): boolean {
  return type.startsWith('team_') || data.task_id === id
}
