import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Team } from '@quire/teams/contract'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom } from '../../config.ts'
import { clientSettings } from './client-settings.ts'
import { createTeamsClient } from './teams-client.ts'
import type { Terminal } from './terminal.ts'

export interface CreateOptions {
  readonly name?: string
  readonly mode?: string
  readonly member?: readonly string[]
  readonly supervisor?: string
  readonly review?: boolean
}

/** Only the id goes to standard output, so that it can be kept in a variable. */
export async function runTeamsCreate(
  flags: Record<string, unknown>,
  file: string | undefined,
  options: CreateOptions,
  { stdin, stdout, stderr }: Terminal,
): Promise<void> {
  const { json, ...address } = configFrom(clientSettings, flags)
  const body = file === undefined ? bodyOf(options) : await readBody(file, options, stdin)
  const client = createTeamsClient(address)
  const created = await client.ask('POST', '/teams', { body })
  const { team_id: id, name, status } = client.parse(created, Team)
  if (json) stdout.write(`${JSON.stringify(created, undefined, 2)}\n`)
  else {
    stderr.write(`The team ${JSON.stringify(name)} is a ${status}: "quire teams start ${id}" starts it.\n`)
    stdout.write(`${id}\n`)
  }
}

function bodyOf({ name, mode = 'parallel', member = [], supervisor, review = false }: CreateOptions): string {
  if (name === undefined || member.length === 0)
    throw new CommandFailure(
      'A team needs a name and members: give a file with the team as JSON ("-" for standard input), or --name and at least one --member.',
    )
  if (review && supervisor === undefined)
    throw new CommandFailure('--review needs a member who reviews: name it by --supervisor.')
  return JSON.stringify({
    name,
    execution_mode: mode,
    members: member.map(toMember),
    ...(supervisor !== undefined && { supervisor: { member_name: supervisor, review_required: review } }),
  })
}

/** `NAME` or `NAME=MODEL`. */
function toMember(given: string): { readonly name: string; readonly model?: string } {
  const [name = '', ...model] = given.split('=')
  return model.length === 0 ? { name } : { name, model: model.join('=') }
}

async function readBody(file: string, options: CreateOptions, stdin: NodeJS.ReadableStream): Promise<string> {
  if (Object.keys(options).some((name) => OF_A_TEAM.has(name)))
    throw new CommandFailure('The file says all of the team: leave either the file out, or the flags.')
  const where = file === '-' ? 'Standard input' : file
  try {
    const body = await (file === '-' ? text(stdin) : readFile(file, 'utf8'))
    const value: unknown = JSON.parse(body.replace(/^\u{feff}/u, ''))
    return JSON.stringify(value)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const fault = error instanceof SyntaxError ? 'is no JSON' : 'cannot be read'
    throw new CommandFailure(`${where} ${fault}: ${reason}`, { cause: error })
  }
}

const OF_A_TEAM: ReadonlySet<string> = new Set(['name', 'mode', 'member', 'supervisor', 'review'])
