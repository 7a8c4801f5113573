import type { Team, TeamEvent } from '@quire/teams/contract'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { Card } from '../ui/card.tsx'
import { toDuration } from '../ui/duration.ts'
import { Select } from '../ui/field.tsx'
import { type Span, toSpans } from './timeline.ts'

export interface MemberTimelineProps {
  readonly team: Team
  readonly events: readonly TeamEvent[]
  readonly titles: ReadonlyMap<string, string>
}

const WINDOWS: Readonly<Record<string, number>> = {
  'Last 2 minutes': 120_000,
  'Last 15 minutes': 900_000,
  'Last 2 hours': 7_200_000,
  'All that is shown': Number.POSITIVE_INFINITY,
}
const TICK_MS = 1_000
const SHORTEST_MS = 10_000
/** Each is a link that can be reached by the keyboard. */
const MOST_SPANS = 60

/** Who was at which task, and when. */
export function MemberTimeline({ team, events, titles }: MemberTimelineProps) {
  const [choice, setChoice] = useState('Last 15 minutes')
  const spans = useMemo(() => toSpans(events, team.supervisor?.member_name), [events, team.supervisor])
  const now = useNow(spans.some(({ to }) => to === undefined))
  const first = Math.min(now - SHORTEST_MS, ...spans.map(({ from }) => from))
  const start = Math.max(first, now - (WINDOWS[choice] ?? 0))
  const shown = spans.filter(({ to = now }) => to >= start)
  return (
    <Card aria-label="Members" className="flex flex-col gap-4">
      <header className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Members</h2>
        <Select
          aria-label="How far back"
          className="w-auto"
          value={choice}
          onChange={(event) => setChoice(event.target.value)}
        >
          {Object.keys(WINDOWS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </header>
      <ul className="flex flex-col gap-3">
        {team.members.map((member) => (
          <li key={member.name} className="flex flex-col gap-1">
            <div className="flex items-baseline justify-between gap-3 text-sm">
              <span className="truncate font-medium">
                <bdi>{member.name}</bdi>
                {member.name === team.supervisor?.member_name && (
                  <span className="font-normal text-quiet"> · supervisor</span>
                )}
              </span>
              <span className="truncate text-xs text-quiet">{member.agent_url ?? member.model}</span>
            </div>
            <Lane
              spans={shown.filter((span) => span.member === member.name).slice(-MOST_SPANS)}
              start={start}
              now={now}
              titles={titles}
            />
          </li>
        ))}
      </ul>
      <p className="flex justify-between text-xs text-quiet">
        <span>{toDuration((now - start) / 1000)} ago</span>
        <span>now</span>
      </p>
    </Card>
  )
}

interface LaneProps {
  readonly spans: readonly Span[]
  readonly start: number
  readonly now: number
  readonly titles: ReadonlyMap<string, string>
}

function Lane({ spans, start, now, titles }: LaneProps) {
  const share = (at: number) => ((at - start) / (now - start)) * 100
  return (
    <ul className="relative h-6 overflow-hidden rounded bg-raised" aria-label="Activity">
      {spans.length === 0 && <li className="sr-only">Nothing in this time</li>}
      {spans.map((span) => {
        const from = Math.max(span.from, start)
        const label = toText(span, titles.get(span.taskId) ?? 'A task', now)
        return (
          <li
            key={`${span.taskId} ${span.from}`}
            className="absolute inset-y-0.5 min-w-1.5"
            style={{ left: `${share(from)}%`, width: `${share(span.to ?? now) - share(from)}%` }}
          >
            <Link
              to="."
              search={{ task: span.taskId }}
              resetScroll={false}
              aria-label={label}
              title={label}
              className={`block h-full rounded-sm opacity-80 hover:opacity-100 ${colourOf(span)}`}
            />
          </li>
        )
      })}
    </ul>
  )
}

function colourOf({ kind, end }: Span): string {
  if (kind === 'review') return 'bg-warn'
  if (end === 'failed') return 'bg-bad'
  if (end === 'stopped') return 'bg-quiet'
  return end === 'lasts' ? 'bg-busy' : 'bg-good'
}

function toText({ kind, end, from, to, attempt }: Span, title: string, now: number): string {
  const length = toDuration(((to ?? now) - from) / 1000)
  const outcome = end === 'lasts' ? `for ${length} so far` : `${end} after ${length}`
  return `${title}: ${kind === 'review' ? 'review' : `attempt ${attempt}`}, ${outcome}`
}

/** The time, moving while something lasts, and for the rest as old as the last events. */
function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), isMoving ? TICK_MS : TICK_MS * 5)
    return () => clearInterval(timer)
  }, [isMoving])
  return now
}
