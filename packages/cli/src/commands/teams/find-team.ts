import { TeamSummary } from '@quire/teams/contract'
import { z } from 'zod'
import { CommandFailure } from '../../command-failure.ts'
import type { TeamsClient } from './teams-client.ts'

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of the team that is meant: people may say its name, where only one has it. */
export async function findTeam(client: TeamsClient, given: string): Promise<string> {
  if (ID.test(given)) return given
  const teams = await client.read('/teams', z.array(TeamSummary))
  const named = teams.filter(({ name }) => name === given)
  const [first, ...others] = named
  if (first && others.length === 0) return first.team_id
  const ids = named.map(({ team_id, status }) => `${team_id} (${status})`).join(', ')
  throw new CommandFailure(
    first
      ? `Several teams have the name ${JSON.stringify(given)}. Give the id of one of them: ${ids}.`
      : `There is no team ${JSON.stringify(given)}. Give its id or its name; "quire teams create" makes one.`,
  )
}

/** In the path of a request. */
export function teamPath(teamId: string, rest = ''): string {
  return `/teams/${encodeURIComponent(teamId)}${rest}`
}
