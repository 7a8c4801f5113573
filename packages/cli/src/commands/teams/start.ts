import { Team } from '@quire/teams/contract'
import { configFrom } from '../../config.ts'
import { clientSettings } from './client-settings.ts'
import { findTeam, teamPath } from './find-team.ts'
import { toLine } from './plain-text.ts'
import { createTeamsClient } from './teams-client.ts'
import type { Terminal } from './terminal.ts'

export async function runTeamsStart(
  flags: Record<string, unknown>,
  given: string,
  { stdout }: Pick<Terminal, 'stdout'>,
): Promise<void> {
  const { json, ...address } = configFrom(clientSettings, flags)
  const client = createTeamsClient(address)
  const started = await client.ask('POST', teamPath(await findTeam(client, given), '/start'))
  const { name, status } = client.parse(started, Team)
  stdout.write(
    json ? `${JSON.stringify(started, undefined, 2)}\n` : `The team "${toLine(name)}" is ${status}.\n`,
  )
}
