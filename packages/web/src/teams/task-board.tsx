import type { Task, Team } from '@quire/teams/contract'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TaskCard } from './task-card.tsx'

interface Column {
  readonly title: string
  readonly statuses: readonly Task['status'][]
  /** What has ended shows its newest first. */
  readonly isOver?: boolean
}

const REVIEW: Column = { title: 'In review', statuses: ['in_review'] }
const COLUMNS: readonly Column[] = [
  { title: 'Waiting', statuses: ['pending'] },
  { title: 'Under way', statuses: ['assigned', 'in_progress'] },
  REVIEW,
  { title: 'Completed', statuses: ['completed'], isOver: true },
  { title: 'Failed or cancelled', statuses: ['failed', 'cancelled'], isOver: true },
]
const SHOWN = 30
const URGENCY: readonly Task['priority'][] = ['critical', 'high', 'medium', 'low']

export interface TaskBoardProps {
  readonly team: Team
  readonly tasks: readonly Task[]
}

export function TaskBoard({ team, tasks }: TaskBoardProps) {
  const hasReview = team.supervisor?.review_required || tasks.some(({ status }) => status === 'in_review')
  const columns = COLUMNS.filter((column) => hasReview || column !== REVIEW)
  return (
    <div
      className={`grid grid-cols-1 gap-4 md:grid-cols-2 ${hasReview ? 'xl:grid-cols-5' : 'xl:grid-cols-4'}`}
    >
      {columns.map((column) => (
        <BoardColumn key={column.title} column={column} tasks={tasksOf(tasks, column)} />
      ))}
    </div>
  )
}

function BoardColumn({ column, tasks }: { readonly column: Column; readonly tasks: readonly Task[] }) {
  const [shown, setShown] = useState(SHOWN)
  return (
    <section aria-label={column.title} className="flex min-w-0 flex-col gap-2 rounded-lg bg-raised p-2">
      <h3 className="flex items-center justify-between px-1 text-sm font-medium">
        {column.title}
        <span className="text-quiet tabular-nums">{tasks.length}</span>
      </h3>
      {tasks.length > 0 && (
        <ul className="flex flex-col gap-2">
          {tasks.slice(0, shown).map((task) => (
            <li key={task.task_id} className="min-w-0">
              <TaskCard task={task} />
            </li>
          ))}
        </ul>
      )}
      {tasks.length > shown && (
        <Button size="small" kind="quiet" onClick={() => setShown(shown + SHOWN * 2)}>
          Show more of {tasks.length}
        </Button>
      )}
    </section>
  )
}

function tasksOf(tasks: readonly Task[], { statuses, isOver = false }: Column): readonly Task[] {
  const own = tasks.filter(({ status }) => statuses.includes(status))
  if (isOver) return own.toSorted((a, b) => (b.ended_at ?? '').localeCompare(a.ended_at ?? ''))
  return own.toSorted((a, b) => URGENCY.indexOf(a.priority) - URGENCY.indexOf(b.priority))
}
