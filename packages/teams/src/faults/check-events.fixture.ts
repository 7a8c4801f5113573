import type { ExecutionMode } from '../team.ts'
import type { TeamEvent } from '../teams.ts'

interface Told {
  hasEnded: boolean
  /** Who has it, while it is under way. */
  member: string | undefined
  lastEnd: string | undefined
}

const ENDS: ReadonlySet<string> = new Set(['task_completed', 'task_failed', 'task_cancelled'])
const OF_WORK: ReadonlySet<string> = new Set(['task_review_requested', 'task_review_rejected'])

/** Walks through what was told of a team, and says the first thing that cannot be. */
export function checkEvents(events: readonly TeamEvent[], mode: ExecutionMode): string | undefined {
  const tasks = new Map<string, Told>()
  let isRunning = false

  for (const [index, event] of events.entries()) {
    const broken = checkNumber(event, index) ?? checkTeam(event) ?? checkTask(event)
    if (broken !== undefined) return `event ${event.seq} (${event.type}): ${broken}`
  }
  return undefined

  function checkNumber({ seq }: TeamEvent, index: number): string | undefined {
    return seq === index + 1 ? undefined : `its number is not ${index + 1}`
  }

  function checkTeam({ type }: TeamEvent): string | undefined {
    if (type === 'team_started' || type === 'team_resumed') {
      if (isRunning) return 'the team was running'
      isRunning = true
    }
    if (type === 'team_paused') {
      if (!isRunning) return 'the team was not running'
      isRunning = false
    }
    if (type === 'team_stopped') {
      isRunning = false
      for (const task of tasks.values()) task.member = undefined
    }
    return undefined
  }

  function checkTask({ type, data }: TeamEvent): string | undefined {
    if (!type.startsWith('task_')) return undefined
    const id = String(data.task_id)
    if (type === 'task_created') {
      if (tasks.has(id)) return `${id} was created before`
      tasks.set(id, { hasEnded: false, member: undefined, lastEnd: undefined })
      return undefined
    }
    const task = tasks.get(id)
    if (!task) return `${id} was never created`
    if (type === 'task_retried' && data.requested === true) {
      if (!task.hasEnded) return `${id} had not ended`
      task.hasEnded = false
      return undefined
    }
    if (task.hasEnded) return `${id} had ended with ${task.lastEnd}`
    if (type === 'task_started') return checkStart(task, String(data.member))
    if (OF_WORK.has(type) && task.member === undefined) return `${id} was not under way`
    if (type === 'task_completed' && task.member === undefined) return `${id} was not under way`
    if (type === 'task_retried') task.member = undefined
    if (ENDS.has(type)) {
      task.hasEnded = true
      task.lastEnd = type
      task.member = undefined
    }
    return undefined
  }

  function checkStart(task: Told, member: string): string | undefined {
    if (!isRunning) return 'the team was not running'
    if (task.member !== undefined) return 'it was under way'
    for (const [id, other] of tasks) {
      if (other.member === member) return `${member} was at ${id}`
      if (mode === 'sequential' && other.member !== undefined) return `${id} was under way`
    }
    task.member = member
    return undefined
  }
}

/** How often each task has ended, and how often somebody asked for it again. */
export function countEnds(events: readonly TeamEvent[], taskId: string) {
  const own = events.filter(({ data }) => data.task_id === taskId)
  const ends = own.filter(({ type }) => ENDS.has(type))
  return {
    ends: ends.length,
    last: ends.at(-1)?.type,
    requests: own.filter(({ type, data }) => type === 'task_retried' && data.requested === true).length,
  }
}
