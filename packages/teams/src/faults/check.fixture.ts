import type { TeamEvent } from '../teams.ts'
import { checkEffects } from './check-effects.fixture.ts'
import { checkEvents, countEnds } from './check-events.fixture.ts'
import type { ClientLedger } from './client.fixture.ts'
import type { StoredStep, StoredTask } from './database.fixture.ts'
import type { LedgerLine } from './ledger.fixture.ts'
import type { Plan } from './plan.fixture.ts'

export interface Findings {
  readonly plan: Plan
  readonly client: ClientLedger
  readonly tasks: readonly StoredTask[]
  readonly steps: ReadonlyMap<string, readonly StoredStep[]>
  /** As they are stored, by team. */
  readonly events: ReadonlyMap<string, readonly TeamEvent[]>
  readonly ledgers: ReadonlyMap<number, readonly LedgerLine[]>
}

const ENDED_WITH: Readonly<Record<string, string>> = Object.freeze({
  completed: 'task_completed',
  failed: 'task_failed',
  cancelled: 'task_cancelled',
})
const TOLD_BY = Object.freeze({
  start: 'team_started',
  stop: 'team_stopped',
  pause: 'team_paused',
  resume: 'team_resumed',
  cancelTask: 'task_cancelled',
  retryTask: 'task_retried',
} as const)
/** For a model that is being asked when its task ends, to be told. */
const ABORT_MS = 2_000

const CHECKS = [
  acknowledgedIsPresent,
  endedOnce,
  eventsAreDense,
  eventsMakeSense,
  effectsAreStored,
  nothingRunsAfterItsEnd,
]

/** The first thing that is broken. */
export function check(findings: Findings): string | undefined {
  for (const holds of CHECKS) {
    const broken = holds(findings)
    if (broken !== undefined) return `${holds.name}: ${broken}`
  }
  return undefined
}

function acknowledgedIsPresent({ plan, client, tasks, events }: Findings): string | undefined {
  const stored = new Map(tasks.map((task) => [task.id, task]))
  for (const [place, { id }] of client.created) {
    const { title, description } = plan.tasks[place]?.draft ?? {}
    const task = stored.get(id)
    if (!task) return `task ${place} (${id}) was acknowledged, and is gone`
    if (task.title !== title || task.description !== description) return `task ${place} (${id}) was changed`
  }
  if (stored.size !== client.created.size)
    return `${client.created.size} tasks were created, and there are ${stored.size}`
  const all = [...events.values()].flat()
  for (const operation of Object.keys(TOLD_BY) as (keyof typeof TOLD_BY)[]) {
    const asked = Map.groupBy(
      client.operations.filter((one) => one.operation === operation),
      ({ id }) => id,
    )
    for (const [id, answers] of asked) {
      const told = all.filter(
        ({ type, stream, data }) =>
          type === TOLD_BY[operation] &&
          (operation.endsWith('Task') ? data.task_id === id : stream === id) &&
          (operation !== 'retryTask' || data.requested === true),
      ).length
      const acknowledged = answers.filter(({ outcome }) => outcome === 'acknowledged').length
      if (told < acknowledged)
        return `${operation} of ${id} was acknowledged ${acknowledged} times, and told ${told} times`
    }
  }
  return undefined
}

function endedOnce({ tasks, events }: Findings): string | undefined {
  for (const { id, team_id, status } of tasks) {
    const { ends, last, requests } = countEnds(events.get(team_id) ?? [], id)
    const end = ENDED_WITH[status]
    const expected = end === undefined ? requests : requests + 1
    if (ends !== expected)
      return `${id} (${status}) was asked for again ${requests} times, and ended ${ends} times`
    if (end !== undefined && last !== end) return `${id} is ${status}, and ended with ${last}`
  }
  return undefined
}

function eventsAreDense({ client, events }: Findings): string | undefined {
  for (const [teamId, stored] of events) {
    const seen = client.events.get(teamId) ?? []
    const odd = seen.findIndex(
      (event, index) => event.seq !== index + 1 || event.type !== stored[index]?.type,
    )
    if (odd !== -1)
      return `the ${odd + 1}. event that was seen of ${teamId} is ${seen[odd]?.seq} (${seen[odd]?.type})`
    if (seen.length !== stored.length)
      return `${seen.length} events of ${teamId} were seen, of ${stored.length}`
  }
  return undefined
}

function eventsMakeSense({ client, events }: Findings): string | undefined {
  for (const { id, executionMode } of client.teams) {
    const broken = checkEvents(events.get(id) ?? [], executionMode)
    if (broken !== undefined) return `${executionMode} team ${id}, ${broken}`
  }
  return undefined
}

function effectsAreStored({ tasks, steps, ledgers }: Findings): string | undefined {
  return checkEffects(tasks, steps, [...ledgers.values()].flat())
}

function nothingRunsAfterItsEnd({ tasks, events, ledgers }: Findings): string | undefined {
  const lines = [...ledgers.values()].flat()
  for (const { id, team_id, status } of tasks) {
    if (ENDED_WITH[status] === undefined) continue
    const end = events.get(team_id)?.findLast((one) => one.data.task_id === id)
    const endedAt = Date.parse(end?.at ?? '')
    const late = lines.find((line) => line.task === id && line.kind !== 'ran' && line.at > endedAt + ABORT_MS)
    if (late) return `${id} ended with ${end?.type}, and went on ${late.at - endedAt} ms later (${late.kind})`
  }
  return undefined
}
