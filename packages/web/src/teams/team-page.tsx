import type { Task, Team } from '@quire/teams/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Asked } from '../ui/asked.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure } from '../ui/state.tsx'
import { EventFeed } from './event-feed.tsx'
import { MemberTimeline } from './member-timeline.tsx'
import { NewTask } from './new-task.tsx'
import { toRestText } from './rest-text.ts'
import { toLabel } from './statuses.tsx'
import { TaskBoard } from './task-board.tsx'
import { TaskDetail } from './task-detail.tsx'
import { TeamControls } from './team-controls.tsx'
import { TeamFigures } from './team-figures.tsx'
import { metricsQuery, tasksQuery, teamQuery } from './team-queries.ts'
import { useTeamEvents } from './use-team-events.ts'

export function TeamPage() {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  const query = useQuery(teamQuery(id))
  if (query.data === undefined)
    return (
      <Page title="Team">
        <Asked query={query} what="the team">
          {() => undefined}
        </Asked>
      </Page>
    )
  return <KnownTeam key={id} team={query.data} error={query.error} />
}

function KnownTeam({ team, error }: { readonly team: Team; readonly error: Error | null }) {
  const tasks = useQuery(tasksQuery(team.team_id))
  const stream = useTeamEvents(team.team_id)
  const titles = useMemo(() => toTitles(tasks.data ?? []), [tasks.data])
  return (
    <Page
      title={team.name}
      note={
        <p className="line-clamp-3">
          {toLabel(team.execution_mode)}
          {team.description && ` · ${team.description}`}
        </p>
      }
      actions={<TeamControls team={team} />}
    >
      {error && <Failure error={error} />}
      <TeamFigures team={team} />
      <Tasks team={team} query={tasks} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <MemberTimeline team={team} events={stream.events} titles={titles} />
        <EventFeed {...stream} titles={titles} />
      </div>
      <ChosenTask tasks={tasks.data} titles={titles} events={stream.events} />
    </Page>
  )
}

interface TasksProps {
  readonly team: Team
  readonly query: ReturnType<typeof useQuery<Task[]>>
}

function Tasks({ team, query }: TasksProps) {
  const [isAdding, setAdding] = useState(false)
  return (
    <section aria-label="Tasks" className="flex flex-col gap-3">
      <header className="flex items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">Tasks</h2>
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden /> New task
        </Button>
      </header>
      <Asked query={query} what="the tasks">
        {(tasks) =>
          tasks.length === 0 ? (
            <Empty title="The team has no task yet.">
              Give it one
              {team.status === 'running' ? '.' : ', and start the team: tasks are accepted in every state.'}
            </Empty>
          ) : (
            <>
              <Rest team={team} shown={tasks.length} />
              <TaskBoard team={team} tasks={tasks} />
            </>
          )
        }
      </Asked>
      {isAdding && <NewTask team={team} tasks={query.data ?? []} onClose={() => setAdding(false)} />}
    </section>
  )
}

function Rest({ team, shown }: { readonly team: Team; readonly shown: number }) {
  const { data: metrics } = useQuery(metricsQuery(team.team_id))
  const text = metrics && toRestText(shown, metrics.tasks_total)
  return text && <p className="text-sm text-quiet">{text}</p>
}

type ChosenTaskProps = Omit<Parameters<typeof TaskDetail>[0], 'task'> & {
  readonly tasks: readonly Task[] | undefined
}

function ChosenTask({ tasks, ...rest }: ChosenTaskProps) {
  const { task: id }: { task?: unknown } = useSearch({ strict: false })
  const task = tasks?.find(({ task_id }) => task_id === id)
  return task && <TaskDetail key={task.task_id} task={task} {...rest} />
}

function toTitles(tasks: readonly Task[]): ReadonlyMap<string, string> {
  return new Map(tasks.map(({ task_id, title }) => [task_id, title]))
}
