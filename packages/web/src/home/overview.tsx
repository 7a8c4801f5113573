import type { Status } from '@quire/composer/contract'
import type { TeamSummary } from '@quire/teams/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { request } from '../services/request.ts'
import { isServed } from '../services/served.ts'
import { Figure } from '../ui/card.tsx'
import { toCount } from '../ui/count.ts'
import { notebooksQuery } from './beginning.ts'

const REFRESH_MS = 5_000
/** The service counts no further in one answer. */
const MOST = 1_000

/** One figure for each service, and the way to it. */
export function Overview() {
  return (
    <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {isServed('runtime') && <Agents />}
      {isServed('teams') && <Teams />}
      {isServed('notebook') && <Notebooks />}
      {isServed('composer') && <Tools />}
    </ul>
  )
}

function Agents() {
  const { data } = useQuery({
    queryKey: ['runtime', 'agents', 'count'],
    queryFn: ({ signal }) =>
      request<{ readonly agents: readonly unknown[] }>('runtime', '/api/v1/agents', { signal }),
    refetchInterval: REFRESH_MS,
  })
  return <Entry to="/agents" label="Agents" value={data?.agents.length} note="to talk to" />
}

function Teams() {
  const { data } = useQuery({
    queryKey: ['teams', 'count'],
    queryFn: ({ signal }) =>
      request<readonly TeamSummary[]>('teams', '/teams', { query: { limit: MOST }, signal }),
    refetchInterval: REFRESH_MS,
  })
  const running = data?.filter(({ status }) => status === 'running').length ?? 0
  const active = data?.reduce((sum, { tasks_active }) => sum + tasks_active, 0) ?? 0
  return (
    <Entry
      to="/teams"
      label="Teams"
      value={data?.length === MOST ? `${MOST} and more` : data?.length}
      note={active === 0 ? `${running} running` : `${running} running, ${toCount(active, 'task')} under way`}
    />
  )
}

function Notebooks() {
  const { data } = useQuery(notebooksQuery)
  return <Entry to="/notebooks" label="Notebooks" value={data?.length} note="in the first folder" />
}

function Tools() {
  const { data } = useQuery({
    queryKey: ['composer', 'status'],
    queryFn: ({ signal }) => request<Status>('composer', '/api/v1/status', { signal }),
    refetchInterval: REFRESH_MS,
  })
  const { running = 0, total = 0 } = data?.servers ?? {}
  return (
    <Entry
      to="/tools"
      label="Tools"
      value={data?.capabilities.tools}
      note={
        running === total
          ? `of ${toCount(total, 'server')}`
          : `${running} of ${toCount(total, 'server')} running`
      }
    />
  )
}

interface EntryProps {
  readonly to: string
  readonly label: string
  /** Absent while it is asked for. */
  readonly value: number | string | undefined
  readonly note: string
}

function Entry({ to, label, value, note }: EntryProps) {
  return (
    <li>
      <Link to={to} className="block h-full rounded-lg [&>section]:h-full [&>section]:hover:border-accent/50">
        <Figure label={label} value={value ?? '…'} note={value === undefined ? '…' : note} />
      </Link>
    </li>
  )
}
