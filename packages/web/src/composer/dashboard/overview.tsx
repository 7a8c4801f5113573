import type { Status } from '@quire/composer/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Asked } from '../../ui/asked.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Figure } from '../../ui/card.tsx'
import { toCount } from '../../ui/count.ts'
import { toDuration } from '../../ui/duration.ts'
import { useStatus } from '../composer-queries.ts'
import { toSentence } from '../to-sentence.ts'

const HEALTH: Readonly<Record<Status['status'], { readonly tone: Tone; readonly text: string }>> = {
  healthy: { tone: 'good', text: 'Every server that should run does' },
  degraded: { tone: 'warn', text: 'A server that should run does not' },
  unhealthy: { tone: 'bad', text: 'A server has failed, and no other runs' },
}
/** A number and what it counts stay on one line. */
const TIED = '\u00a0'
const STATES = ['starting', 'stopping', 'stopped', 'crashed'] as const

export function Overview() {
  return (
    <Asked query={useStatus()} what="the status">
      {({ status, servers, capabilities, uptime_seconds }) => (
        <section aria-label="Overview" className="grid grid-cols-2 gap-4 lg:grid-cols-4">
          <Figure
            label="Health"
            value={
              <Badge tone={HEALTH[status].tone} className="text-base">
                {toSentence(status)}
              </Badge>
            }
            note={HEALTH[status].text}
          />
          <Figure
            label="Servers running"
            value={<To to="/servers">{`${servers.running} of ${servers.total}`}</To>}
            note={toOtherStates(servers)}
          />
          <Figure
            label="Tools"
            value={<To to="/tools">{capabilities.tools}</To>}
            note={`${toCount(capabilities.prompts, 'prompt')} · ${toCount(capabilities.resources, 'resource')}`}
          />
          <Figure label="Up for" value={toDuration(uptime_seconds)} />
        </section>
      )}
    </Asked>
  )
}

function To({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className="hover:underline">
      {children}
    </Link>
  )
}

function toOtherStates(servers: Status['servers']): string {
  const others = STATES.filter((state) => servers[state] > 0).map(
    (state) => `${servers[state]}${TIED}${state}`,
  )
  return others.length === 0 ? 'None in another state' : others.join(' · ')
}
