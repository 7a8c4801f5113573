import { Task } from '@quire/teams/contract'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom } from '../../config.ts'
import { createBoard } from './board.ts'
import { clientSettings } from './client-settings.ts'
import { findTeam, teamPath } from './find-team.ts'
import { toLine, toText } from './plain-text.ts'
import { createTeamsClient } from './teams-client.ts'
import type { Terminal } from './terminal.ts'
import { watchBoard } from './watch-board.ts'
import { createWaitView } from './watch-view.ts'

export interface AssignOptions {
  readonly description?: string
  readonly priority?: string
  readonly to?: string
  readonly dependsOn?: readonly string[]
  readonly idempotencyKey?: string
  readonly wait?: boolean
}

/** Prints the id of the new task, or, where it is waited for, its result. */
export async function runTeamsAssign(
  flags: Record<string, unknown>,
  { team, title }: { readonly team: string; readonly title: string },
  options: AssignOptions,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<void> {
  const { json, ...address } = configFrom(clientSettings, flags)
  const client = createTeamsClient(address)
  const teamId = await findTeam(client, team)
  const { idempotencyKey } = options
  const created = await client.ask('POST', teamPath(teamId, '/tasks'), {
    body: JSON.stringify(toBody(title, options)),
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  })
  const { task_id: taskId } = client.parse(created, Task)
  if (!options.wait) {
    stdout.write(json ? `${JSON.stringify(created, undefined, 2)}\n` : `${taskId}\n`)
    return
  }

  const board = createBoard(client, teamId, taskId)
  const view = createWaitView(board, stderr)
  const { signal } = new AbortController()
  await watchBoard({ client, board, view, fromStart: false, untilIdle: true, signal })
  const ended = await client.ask('GET', teamPath(teamId, `/tasks/${taskId}`))
  const { status, result, error, waiting_for: reason } = client.parse(ended, Task)
  if (json) stdout.write(`${JSON.stringify(ended, undefined, 2)}\n`)
  else if (result !== null) stdout.write(`${toText(result)}\n`)
  if (status !== 'completed')
    throw new CommandFailure(toLine(`The task ${taskId} is ${status}. ${error?.message ?? reason ?? ''}`))
}

function toBody(title: string, { description, priority, to, dependsOn }: AssignOptions) {
  return {
    title,
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    ...(to !== undefined && { assigned_to: to }),
    ...(dependsOn && { depends_on: dependsOn }),
  }
}
