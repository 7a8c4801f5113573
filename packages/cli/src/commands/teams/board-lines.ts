import { styleText } from 'node:util'
import type { Board, WatchedTask } from './board.ts'
import { toLine } from './plain-text.ts'

export interface Paper {
  readonly columns: number
  readonly rows: number
  readonly hasColours: boolean
  /** In epoch milliseconds. */
  readonly now: number
}

type Status = WatchedTask['status']
type Colour = 'green' | 'red' | 'gray' | 'cyan' | 'magenta' | 'yellow' | 'dim'

const COLOURS: Readonly<Record<Status, Colour>> = Object.freeze({
  pending: 'dim',
  assigned: 'yellow',
  in_progress: 'cyan',
  in_review: 'magenta',
  completed: 'green',
  failed: 'red',
  cancelled: 'gray',
})
/** What there is no room for is left out from the end. */
const IMPORTANCE: readonly Status[] = [
  'in_progress',
  'in_review',
  'assigned',
  'failed',
  'pending',
  'completed',
  'cancelled',
]
const STATUS_WIDTH = Math.max(...IMPORTANCE.map((status) => status.length))
const LONGEST_MEMBER = 20
/** For the team, for how many more there are, for a note, and for the cursor. */
const OTHER_ROWS = 4

/** The team, and a line for each of its tasks, as many as there is room for. */
export function boardLines(board: Pick<Board, 'team' | 'tasks'>, paper: Paper): readonly string[] {
  const tasks = board.tasks()
  const room = Math.max(1, paper.rows - OTHER_ROWS)
  const shown = tasks.length > room ? mostImportant(tasks, room) : tasks
  const members = shown.map(({ assigned_to }) => toLine(assigned_to ?? '-'))
  const memberWidth = Math.min(LONGEST_MEMBER, Math.max(0, ...members.map(widthOf)))
  const { name, status, pause_reason } = board.team()
  const reason = pause_reason === undefined ? '' : ` (${toLine(pause_reason)})`
  return [
    fit(`${toLine(name)} is ${status}${reason}. ${countsOf(tasks)}`, paper.columns),
    ...shown.map((task) => taskLine(task, memberWidth, paper)),
    ...(shown.length < tasks.length ? [`… and ${tasks.length - shown.length} more`] : []),
  ]
}

/** Such as `3 tasks: 2 completed, 1 pending.` */
export function countsOf(tasks: readonly Pick<WatchedTask, 'status'>[]): string {
  if (tasks.length === 0) return 'There are no tasks.'
  const counts = Map.groupBy(tasks, ({ status }) => status)
  const parts = [...counts].map(([status, { length }]) => `${length} ${status.replace('_', ' ')}`)
  return `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}: ${parts.join(', ')}.`
}

function taskLine(task: WatchedTask, memberWidth: number, { columns, hasColours, now }: Paper): string {
  const status = task.status.padEnd(STATUS_WIDTH)
  const member = pad(fit(toLine(task.assigned_to ?? '-'), memberWidth), memberWidth)
  const age = durationOf(task, now).padStart(6)
  const line = fit(`${status}  ${member}  #${task.attempts}  ${age}  ${toLine(task.title)}`, columns)
  if (!hasColours) return line
  const coloured = styleText(COLOURS[task.status], status, { validateStream: false })
  return coloured + line.slice(status.length)
}

/** Since it was begun, or else since it is there. */
function durationOf({ created_at, started_at, ended_at }: WatchedTask, now: number): string {
  const end = ended_at === null ? now : Date.parse(ended_at)
  const seconds = Math.max(0, Math.floor((end - Date.parse(started_at ?? created_at)) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
  return `${Math.floor(seconds / 3_600)}h${String(Math.floor((seconds % 3_600) / 60)).padStart(2, '0')}m`
}

/** In their own order. Of those that have ended the last ones matter most. */
function mostImportant(tasks: readonly WatchedTask[], room: number): readonly WatchedTask[] {
  const kept = new Set<WatchedTask>()
  for (const status of IMPORTANCE) {
    const some = tasks.filter((task) => task.status === status)
    for (const task of status === 'completed' ? some.reverse() : some) if (kept.size < room) kept.add(task)
  }
  return tasks.filter((task) => kept.has(task))
}

/** A line that is longer would be broken into two, and the next drawing would begin too low. */
function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 1
  let cut = ''
  for (const sign of text) {
    width += widthOf(sign)
    if (width > columns) break
    cut += sign
  }
  return `${cut}…`
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Never too little: scripts of the East and pictures take two places. */
function widthOf(text: string): number {
  let width = 0
  for (const sign of text) width += (sign.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
  return width
}
