import type { Task, TeamEvent } from '@quire/teams/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ban, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { request } from '../services/request.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { Failure } from '../ui/state.tsx'
import { toMoment } from '../ui/time.ts'
import { Time } from './event-feed.tsx'
import { taskOf, toEventText } from './event-text.ts'
import { toDollars, toGrouped } from './numbers.ts'
import { PriorityBadge, TaskStatusBadge } from './statuses.tsx'
import { teamKey, teamPath } from './team-queries.ts'

export interface TaskDetailProps {
  readonly task: Task
  readonly titles: ReadonlyMap<string, string>
  readonly events: readonly TeamEvent[]
}

/** Everything about one task. Which one it is stands in the address. */
export function TaskDetail({ task, titles, events }: TaskDetailProps) {
  const navigate = useNavigate()
  const history = events.filter((event) => taskOf(event) === task.task_id)
  return (
    <Dialog
      title={task.title}
      onClose={() => void navigate({ to: '.', search: {}, resetScroll: false })}
      actions={actionOf(task) && <TaskAction task={task} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <TaskStatusBadge status={task.status} />
        <PriorityBadge priority={task.priority} />
      </div>
      {task.title.length > LONG_TITLE && (
        <Part title="Title">
          <Words>{task.title}</Words>
        </Part>
      )}
      {task.waiting_for !== null && <p className="break-words text-quiet">{task.waiting_for}</p>}
      {task.error !== null && (
        <Part title={`Why it failed (${task.error.code})`}>
          <Words className="text-bad">{task.error.message}</Words>
        </Part>
      )}
      {task.result !== null && (
        <Part title="Result">
          <div className="rounded-md bg-raised p-3">
            <Markdown text={task.result === '' ? 'The member said nothing.' : task.result} />
          </div>
        </Part>
      )}
      {task.description !== '' && (
        <Part title="Description">
          <Words>{task.description}</Words>
        </Part>
      )}
      <Facts task={task} titles={titles} />
      {history.length > 0 && (
        <Part title="What happened">
          <ol className="flex flex-col gap-2 text-sm">
            {history.map((event) => (
              <HistoryEntry key={event.seq} event={event} />
            ))}
          </ol>
        </Part>
      )}
    </Dialog>
  )
}

/** Those of the heading are cut beyond some lines. */
const LONG_TITLE = 120

/** What ended well is over; the rest can be ended, or tried again. */
function actionOf({ status }: Task): 'cancel' | 'retry' | undefined {
  if (status === 'completed') return undefined
  return status === 'failed' || status === 'cancelled' ? 'retry' : 'cancel'
}

function TaskAction({ task }: { readonly task: Task }) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (operation: 'cancel' | 'retry') =>
      request<Task>('teams', teamPath(task.team_id, `/tasks/${task.task_id}/${operation}`), {
        method: 'POST',
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: teamKey(task.team_id) }),
  })
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {change.isError && <Failure error={change.error} />}
      {actionOf(task) === 'retry' ? (
        <Button isBusy={change.isPending} onClick={() => change.mutate('retry')}>
          <RotateCw aria-hidden /> Try it again
        </Button>
      ) : (
        <Button kind="danger" isBusy={change.isPending} onClick={() => change.mutate('cancel')}>
          <Ban aria-hidden /> Cancel the task
        </Button>
      )}
    </div>
  )
}

function HistoryEntry({ event }: { readonly event: TeamEvent }) {
  const { text, quote } = toEventText(event)
  return (
    <li>
      <div className="flex items-baseline justify-between gap-2">
        <span className="min-w-0 break-words">{text}</span>
        <Time at={event.timestamp} />
      </div>
      {quote !== undefined && (
        <p className="mt-1 border-l-2 pl-2 break-words whitespace-pre-wrap text-quiet">{quote}</p>
      )}
    </li>
  )
}

function Facts({ task, titles }: Pick<TaskDetailProps, 'task' | 'titles'>) {
  const { usage, attempts, max_retries, timeout_seconds, depends_on } = task
  const cost = usage.cost_usd === undefined ? '' : ` · ${toDollars(usage.cost_usd)}`
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm [&_dt]:text-quiet">
      <dt>Member</dt>
      <dd className="min-w-0 break-words">{task.assigned_to ?? 'whoever is chosen'}</dd>
      <dt>Attempts</dt>
      <dd>
        {attempts} of at most {max_retries + 1}, {toGrouped(timeout_seconds)} s each
      </dd>
      {depends_on.length > 0 && (
        <>
          <dt>Depends on</dt>
          <dd className="min-w-0">
            <ul>
              {depends_on.map((id) => (
                <li key={id} className="truncate">
                  {titles.get(id) ?? id}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      <dt>Used</dt>
      <dd>
        {toGrouped(usage.total_tokens)} tokens{cost}
      </dd>
      <dt>Made</dt>
      <dd>{toMoment(task.created_at)}</dd>
      {task.ended_at !== null && (
        <>
          <dt>Ended</dt>
          <dd>{toMoment(task.ended_at)}</dd>
        </>
      )}
    </dl>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm font-medium text-quiet">{title}</h3>
      {children}
    </section>
  )
}

function Words({ children, className = '' }: { readonly children: string; readonly className?: string }) {
  return (
    <p dir="auto" className={`rounded-md bg-raised p-3 break-words whitespace-pre-wrap ${className}`}>
      {children}
    </p>
  )
}
