import type { Task } from '@quire/teams/contract'
import { Link } from '@tanstack/react-router'
import { User } from 'lucide-react'
import { toCount } from '../ui/count.ts'
import { PriorityBadge, TaskStatusBadge } from './statuses.tsx'

/** One task of the board; all of it is the way to its details. */
export function TaskCard({ task }: { readonly task: Task }) {
  const { task_id, title, status, priority, assigned_to, attempts, waiting_for, error } = task
  const isUnusual = status === 'assigned' || status === 'cancelled' || status === 'failed'
  return (
    <article className="relative flex flex-col gap-1.5 rounded-md border bg-surface p-2.5 text-sm hover:border-accent/50">
      <Link
        to="."
        search={{ task: task_id }}
        resetScroll={false}
        className="line-clamp-3 font-medium break-words after:absolute after:inset-0 after:rounded-md"
      >
        <bdi>{title}</bdi>
      </Link>
      {waiting_for !== null && <p className="line-clamp-4 text-xs break-words text-quiet">{waiting_for}</p>}
      {error !== null && <p className="line-clamp-4 text-xs break-words text-bad">{error.message}</p>}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-quiet">
        {isUnusual && <TaskStatusBadge status={status} />}
        {priority !== 'medium' && <PriorityBadge priority={priority} />}
        {assigned_to !== null && (
          <span className="flex min-w-0 items-center gap-1">
            <User className="size-3 shrink-0" aria-hidden />
            <span className="sr-only">Member </span>
            <bdi className="truncate">{assigned_to}</bdi>
          </span>
        )}
        {attempts > 1 && <span>{toCount(attempts, 'attempt')}</span>}
      </div>
    </article>
  )
}
