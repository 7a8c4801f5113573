import { CallerError } from '@quire/kit/errors'
import type { TeamStatus } from './team.ts'

export const OPERATIONS = ['start', 'stop', 'pause', 'resume', 'delete'] as const
export type Operation = (typeof OPERATIONS)[number]

/** What becomes of a team. `gone`: it is deleted. What is not named here is refused, and nothing changes. */
export const LIFECYCLE: Readonly<
  Record<TeamStatus, Readonly<Partial<Record<Operation, TeamStatus | 'gone'>>>>
> = Object.freeze({
  draft: Object.freeze({ start: 'running', delete: 'gone' }),
  running: Object.freeze({ stop: 'stopped', pause: 'paused' }),
  paused: Object.freeze({ stop: 'stopped', resume: 'running', delete: 'gone' }),
  stopped: Object.freeze({ start: 'running', delete: 'gone' }),
})

/** Throws a `conflict` that says what is possible instead. */
export function nextStatus(status: TeamStatus, operation: Operation): TeamStatus | 'gone' {
  const next = LIFECYCLE[status][operation]
  if (next !== undefined) return next
  const possible = Object.keys(LIFECYCLE[status]).join(' or ')
  throw new CallerError(
    'conflict',
    `A team that is ${status} cannot be ${PARTICIPLES[operation]}. What it can do now: ${possible}.`,
  )
}

const PARTICIPLES: Readonly<Record<Operation, string>> = Object.freeze({
  start: 'started',
  stop: 'stopped',
  pause: 'paused',
  resume: 'resumed',
  delete: 'deleted: stop it first',
})
