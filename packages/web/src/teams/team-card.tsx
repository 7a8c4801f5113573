import type { TeamMetrics, TeamSummary } from '@quire/teams/contract'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/card.tsx'
import { toCount } from '../ui/count.ts'
import { Progress } from '../ui/progress.tsx'
import { BudgetBar } from './budget-bar.tsx'
import { toGrouped } from './numbers.ts'
import { TeamStatusBadge, toLabel } from './statuses.tsx'

export function TeamCard({ team }: { readonly team: TeamSummary }) {
  const { team_id, name, status, members_count, execution_mode, pause_reason, budget, usage } = team
  return (
    <Card className="relative flex h-full flex-col gap-3 hover:border-accent/50" aria-label={name}>
      <header className="flex items-center justify-between gap-2">
        <h2 className="truncate font-semibold">
          <Link to="/teams/$id" params={{ id: team_id }} className="after:absolute after:inset-0">
            {name}
          </Link>
        </h2>
        <TeamStatusBadge status={status} />
      </header>
      <p className="text-sm text-quiet">
        {toCount(members_count, 'member')} · {toLabel(execution_mode)}
      </p>
      {pause_reason && <p className="text-sm break-words text-warn">{pause_reason}</p>}
      <TaskProgress counts={team} />
      <BudgetBar budget={budget} usage={usage} />
    </Card>
  )
}

type TaskCounts = Pick<
  TeamMetrics,
  'tasks_total' | 'tasks_completed' | 'tasks_failed' | 'tasks_cancelled' | 'tasks_active'
>

export function TaskProgress({ counts }: { readonly counts: TaskCounts }) {
  const { tasks_total, tasks_completed, tasks_failed, tasks_cancelled, tasks_active } = counts
  if (tasks_total === 0) return <p className="text-sm text-quiet">No task yet</p>
  const text = [
    `${toGrouped(tasks_completed)} of ${toCount(tasks_total, 'task')} completed`,
    tasks_active > 0 && `${toGrouped(tasks_active)} under way`,
    tasks_failed > 0 && `${toGrouped(tasks_failed)} failed`,
    tasks_cancelled > 0 && `${toGrouped(tasks_cancelled)} cancelled`,
  ]
    .filter(Boolean)
    .join(' · ')
  return (
    <div className="flex flex-col gap-1">
      <span className="text-sm text-quiet tabular-nums">{text}</span>
      <Progress
        label="Tasks"
        text={text}
        max={tasks_total}
        parts={[
          { value: tasks_completed, className: 'bg-good' },
          { value: tasks_active, className: 'bg-busy' },
          { value: tasks_failed, className: 'bg-bad' },
          { value: tasks_cancelled, className: 'bg-line' },
        ]}
      />
    </div>
  )
}
