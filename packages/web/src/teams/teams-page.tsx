import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Asked } from '../ui/asked.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'
import { TeamCard } from './team-card.tsx'
import { teamsQuery } from './team-queries.ts'

export function TeamsPage() {
  const query = useQuery(teamsQuery())
  const actions = (
    <LinkButton kind="primary" to="/teams/new">
      <Plus aria-hidden /> New team
    </LinkButton>
  )
  return (
    <Page
      title="Teams"
      note="You give tasks; the members of a team share them out and do them."
      actions={actions}
    >
      <Asked query={query} what="the teams">
        {(teams) =>
          teams.length === 0 ? (
            <Empty title="There is no team yet.">
              <Link to="/teams/new" className="underline">
                Make one
              </Link>{' '}
              with one or more members, start it, and give it a task. Members that name no model run on the
              built-in guide, which needs no key.
            </Empty>
          ) : (
            <ul className="grid grid-cols-1 gap-4 lg:grid-cols-2">
              {teams.map((team) => (
                <li key={team.team_id} className="min-w-0">
                  <TeamCard team={team} />
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </Page>
  )
}
