import type { TeamStatus } from '../team.ts'
import type { TaskRow } from './task-rows.ts'
import type { TeamRow } from './team-rows.ts'

interface Surroundings {
  readonly team: Pick<TeamRow, 'status' | 'mode' | 'pause_reason'>
  readonly busyMembers: ReadonlySet<string>
  readonly blockers: readonly Pick<TaskRow, 'id' | 'status'>[]
  readonly now: number
}

/** Why a task is not under way, in a sentence that says what would change it. */
export function explainWaiting(task: TaskRow, around: Surroundings): string | undefined {
  if (task.status !== 'pending') return undefined
  if (around.blockers.length > 0) return describeBlockers(around.blockers)
  const { team } = around
  if (team.status === 'paused' && team.pause_reason !== null) return team.pause_reason
  const held = HELD[team.status]
  if (held !== undefined) return held
  if (task.not_before > around.now)
    return `The last attempt failed; the next one begins at ${new Date(task.not_before).toISOString()}.`
  if (task.job_id !== null) return 'The supervisor is choosing a member for it.'
  if (task.wanted !== '' && around.busyMembers.has(task.wanted))
    return `Its member ${JSON.stringify(task.wanted)} is at another task.`
  return team.mode === 'sequential'
    ? 'The team does one task at a time, and others come first.'
    : 'All members are at other tasks.'
}

const HELD: Readonly<Partial<Record<TeamStatus, string>>> = Object.freeze({
  draft: 'The team has not been started. Start it, and its tasks begin.',
  stopped: 'The team is stopped. Start it again, and it goes on with its tasks.',
  paused: 'The team is paused. Resume it, and it goes on with its tasks.',
})

const SHOWN = 5

function describeBlockers(blockers: Surroundings['blockers']): string {
  const shown = blockers.slice(0, SHOWN).map(({ id, status }) => `${id} (${status})`)
  const more = blockers.length > SHOWN ? ` and ${blockers.length - SHOWN} more` : ''
  const isStuck = blockers.some(({ status }) => status === 'failed' || status === 'cancelled')
  const advice = isStuck
    ? ' One that failed or was cancelled has to be retried, or this task be cancelled.'
    : ''
  return `It depends on ${shown.join(', ')}${more}.${advice}`
}
