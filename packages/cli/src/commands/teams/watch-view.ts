import { once } from 'node:events'
import { clearScreenDown, moveCursor } from 'node:readline'
import type { TeamEvent } from '@quire/teams/contract'
import type { Board } from './board.ts'
import { boardLines } from './board-lines.ts'
import { toLine } from './plain-text.ts'
import type { Screen } from './terminal.ts'

/** How somebody watches. */
export interface WatchView {
  /** The board is loaded. */
  begin(): void
  /** Something happened, and the board shows it. */
  event(event: TeamEvent): void | Promise<void>
  lost(reason: string): void
  end(): void
}

interface Output {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

/** An event a line, for programs. */
export function createJsonView({ stdout, stderr }: Output): WatchView {
  return {
    begin: () => undefined,
    event: (event) => writeLine(stdout, JSON.stringify(event)),
    lost: (reason) => void stderr.write(lostLine(reason)),
    end: () => undefined,
  }
}

/** The tasks as they are, then an event a line: for files and pipes. */
export function createPlainView(board: Board, { stdout, stderr }: Output): WatchView {
  return {
    begin() {
      for (const line of boardLines(board, {
        columns: Infinity,
        rows: Infinity,
        hasColours: false,
        now: Date.now(),
      }))
        stdout.write(`${line}\n`)
    },
    event: (event) => writeLine(stdout, eventLine(event, board)),
    lost: (reason) => void stderr.write(lostLine(reason)),
    end: () => undefined,
  }
}

/** Nothing, unless the wait may be a long one. */
export function createWaitView(board: Board, stderr: NodeJS.WritableStream): WatchView {
  return {
    begin() {
      const { name, status } = board.team()
      if (status !== 'running')
        stderr.write(`quire: The team "${toLine(name)}" is ${status}: the task waits until it runs.\n`)
    },
    event: () => undefined,
    lost: (reason) => void stderr.write(lostLine(reason)),
    end: () => undefined,
  }
}

const REDRAW_MS = 1_000
const SOON_MS = 50

/** The board itself, drawn again in its place whenever something happens, and each second for the sake of the ages. */
export function createTerminalView(board: Board, terminal: Screen): WatchView {
  let drawn = 0
  let note = ''
  let soon: NodeJS.Timeout | undefined
  let ticking: NodeJS.Timeout | undefined

  function draw(): void {
    clearTimeout(soon)
    soon = undefined
    const { columns = 80, rows = 24 } = terminal
    const lines = boardLines(board, {
      columns,
      rows,
      hasColours: terminal.hasColors?.() === true,
      now: Date.now(),
    })
    const all = note === '' ? lines : [...lines, note.slice(0, columns)]
    moveCursor(terminal, 0, -drawn)
    clearScreenDown(terminal)
    terminal.write(`${all.join('\n')}\n`)
    drawn = all.length
  }

  return {
    begin() {
      draw()
      ticking = setInterval(draw, REDRAW_MS)
    },
    event() {
      note = ''
      soon ??= setTimeout(draw, SOON_MS)
    },
    lost() {
      note = 'The connection is lost; trying again.'
      draw()
    },
    end() {
      clearInterval(ticking)
      note = ''
      draw()
    },
  }
}

/** No faster than it is read. */
async function writeLine(output: NodeJS.WritableStream, line: string): Promise<void> {
  if (!output.write(`${line}\n`)) await once(output, 'drain')
}

function lostLine(reason: string): string {
  return `quire: The connection is lost (${toLine(reason)}); trying again.\n`
}

/** Such as `2026-11-15T14:00:00.000Z task_started "Find three sources" (Ada, attempt 1)`. */
function eventLine({ timestamp, event_type, data }: TeamEvent, board: Board): string {
  const title = board.task(String(data.task_id))?.title
  const member = data.assigned_to ?? data.member
  const about = [
    ...(typeof member === 'string' ? [member] : []),
    ...(typeof data.attempt === 'number' ? [`attempt ${data.attempt}`] : []),
  ]
  const said = wordsIn(data)
  return toLine(
    [
      timestamp,
      event_type,
      ...(title === undefined ? [] : [JSON.stringify(title)]),
      ...(about.length > 0 ? [`(${about.join(', ')})`] : []),
      ...(said === undefined ? [] : [said]),
    ].join(' '),
  )
}

/** Why, where an event says so. */
function wordsIn({ error, reasons, detail, reason, review }: TeamEvent['data']): string | undefined {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined
  return [message, reasons, detail, reason, review].find((words) => typeof words === 'string')
}
