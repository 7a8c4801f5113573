import type { TeamEvent } from '@quire/teams/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { toClock, toMoment } from '../ui/time.ts'
import { taskOf, toEventText } from './event-text.ts'
import type { StreamState, TeamEvents } from './use-team-events.ts'

export interface EventFeedProps extends TeamEvents {
  readonly titles: ReadonlyMap<string, string>
}

const STATES: Readonly<Record<StreamState, { readonly tone: Tone; readonly text: string }>> = {
  connecting: { tone: 'quiet', text: 'Connecting' },
  live: { tone: 'good', text: 'Live' },
  away: { tone: 'warn', text: 'Connecting again' },
  over: { tone: 'quiet', text: 'Ended' },
}
const SHOWN = 40

/** What happens, newest first. */
export function EventFeed({ events, state, titles }: EventFeedProps) {
  const [shown, setShown] = useState(SHOWN)
  const newest = events.slice(-shown).reverse()
  return (
    <Card aria-label="Events" className="flex flex-col gap-3">
      <header className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Events</h2>
        <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
      </header>
      <ol
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
        tabIndex={0}
        aria-label="Events, newest first"
        className="-mx-1 flex max-h-96 flex-col gap-3 overflow-auto px-1 text-sm"
      >
        {newest.map((event) => (
          <FeedEntry key={event.seq} event={event} titles={titles} />
        ))}
      </ol>
      {events.length > shown && (
        <Button size="small" className="self-start" onClick={() => setShown(shown + SHOWN)}>
          Show older events
        </Button>
      )}
    </Card>
  )
}

const DOTS: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  busy: 'bg-busy',
  quiet: 'bg-quiet/50',
}

function FeedEntry({
  event,
  titles,
}: {
  readonly event: TeamEvent
  readonly titles: EventFeedProps['titles']
}) {
  const { tone, text, quote } = toEventText(event)
  const task = taskOf(event)
  return (
    <li className="flex gap-2.5">
      <span aria-hidden className={`mt-1.5 size-2 shrink-0 rounded-full ${DOTS[tone]}`} />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-2">
          <span className="min-w-0 break-words">{text}</span>
          <Time at={event.timestamp} />
        </div>
        {task !== undefined && (
          <Link
            to="."
            search={{ task }}
            resetScroll={false}
            className="block truncate text-quiet hover:text-ink hover:underline"
          >
            <bdi>{titles.get(task) ?? String(event.data.title ?? 'A task')}</bdi>
          </Link>
        )}
        {quote !== undefined && (
          <p className="mt-1 line-clamp-4 border-l-2 pl-2 break-words whitespace-pre-wrap text-quiet">
            {quote}
          </p>
        )}
      </div>
    </li>
  )
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={toMoment(at)} className="shrink-0 text-xs text-quiet tabular-nums">
      {toClock(at)}
    </time>
  )
}
