import type { TeamEvent } from '@quire/teams/contract'
import { taskOf } from './event-text.ts'

/** A stretch of time in which a member had a task, or a supervisor its result. */
export interface Span {
  readonly taskId: string
  readonly member: string
  readonly attempt: number
  readonly kind: 'work' | 'review'
  readonly from: number
  /** Absent while it lasts. */
  readonly to?: number
  readonly end: 'lasts' | 'completed' | 'failed' | 'stopped' | 'returned' | 'handed in'
}

const ENDS: Readonly<Partial<Record<TeamEvent['event_type'], Span['end']>>> = {
  task_completed: 'completed',
  task_failed: 'failed',
  task_cancelled: 'stopped',
  task_retried: 'failed',
  task_review_requested: 'handed in',
  task_review_rejected: 'returned',
  team_stopped: 'stopped',
}

/** What the events say about who did what when. */
export function toSpans(events: readonly TeamEvent[], supervisor: string | undefined): readonly Span[] {
  const open = new Map<string, Span>()
  const closed: Span[] = []

  function close(taskId: string, to: number, end: Span['end']): void {
    const span = open.get(taskId)
    if (span === undefined) return
    open.delete(taskId)
    closed.push({ ...span, to, end })
  }

  for (const event of events) {
    const at = Date.parse(event.timestamp)
    const taskId = taskOf(event)
    const end = endOf(event)
    if (taskId === undefined) {
      if (end !== undefined) for (const id of [...open.keys()]) close(id, at, end)
      continue
    }
    const before = open.get(taskId)
    if (end !== undefined) close(taskId, at, end)
    const next = begin(event, taskId, at, before, supervisor)
    if (next === undefined) continue
    close(taskId, at, 'stopped')
    open.set(taskId, next)
  }
  return [...closed, ...open.values()]
}

/** A pause lets go on what is under way, unless there is no budget left for it. */
function endOf({ event_type, data }: TeamEvent): Span['end'] | undefined {
  return event_type === 'team_paused' && data.reason === 'budget' ? 'stopped' : ENDS[event_type]
}

function begin(
  { event_type, data }: TeamEvent,
  taskId: string,
  from: number,
  before: Span | undefined,
  supervisor: string | undefined,
): Span | undefined {
  const attempt = typeof data.attempt === 'number' ? data.attempt : (before?.attempt ?? 1)
  const common = { taskId, attempt, from, end: 'lasts' } as const
  if (event_type === 'task_review_requested')
    return supervisor === undefined ? undefined : { ...common, member: supervisor, kind: 'review' }
  if (event_type !== 'task_started' && event_type !== 'task_review_rejected') return undefined
  return typeof data.member === 'string' ? { ...common, member: data.member, kind: 'work' } : undefined
}
