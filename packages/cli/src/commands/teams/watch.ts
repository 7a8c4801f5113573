import { Task } from '@quire/teams/contract'
import { configFrom } from '../../config.ts'
import { type Board, createBoard } from './board.ts'
import { countsOf } from './board-lines.ts'
import { clientSettings } from './client-settings.ts'
import { findTeam, teamPath } from './find-team.ts'
import { toLine } from './plain-text.ts'
import { createTeamsClient, type TeamsClient } from './teams-client.ts'
import type { Terminal } from './terminal.ts'
import { watchBoard } from './watch-board.ts'
import { createJsonView, createPlainView, createTerminalView, type WatchView } from './watch-view.ts'

export interface WatchFlags {
  readonly task?: string
  readonly untilIdle?: boolean
}

const MOST_TOLD = 20

/** Shows how the tasks of a team come on. Returns whether all went well, as far as it was to be waited for. */
export async function runTeamsWatch(
  flags: Record<string, unknown>,
  given: string,
  { task, untilIdle = false }: WatchFlags,
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<boolean> {
  const { json, ...address } = configFrom(clientSettings, flags)
  const client = createTeamsClient(address)
  const board = createBoard(client, await findTeam(client, given), task)
  const leave = new AbortController()
  // Such as of a pipe whose reader has seen enough.
  terminal.stdout.on('error', () => leave.abort())
  try {
    await watchBoard({
      client,
      board,
      view: chooseView(board, json, terminal),
      fromStart: json,
      untilIdle,
      signal: leave.signal,
    })
  } catch (error) {
    if (!leave.signal.aborted) throw error
    return true
  }
  const left = board.tasks().filter(({ status }) => status !== 'completed' && status !== 'cancelled')
  if (!json) await tellEnd(client, board, terminal)
  return left.length === 0
}

function chooseView(
  board: Board,
  json: boolean,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): WatchView {
  if (json) return createJsonView({ stdout, stderr })
  return stdout.isTTY ? createTerminalView(board, stdout) : createPlainView(board, { stdout, stderr })
}

/** What failed and what will not be begun, and why. */
async function tellEnd(
  client: TeamsClient,
  board: Board,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<void> {
  const { team_id: teamId } = board.team()
  if (!stdout.isTTY) stdout.write(`${countsOf(board.tasks())}\n`)
  const left = board.tasks().filter(({ status }) => status === 'failed' || status === 'pending')
  for (const { task_id: taskId } of left.slice(0, MOST_TOLD)) {
    const task = await client.read(teamPath(teamId, `/tasks/${taskId}`), Task)
    const why = task.status === 'pending' ? task.waiting_for : task.error?.message
    stderr.write(toLine(`quire: The task "${task.title}" (${taskId}) is ${task.status}. ${why ?? ''}`))
    stderr.write('\n')
  }
}
