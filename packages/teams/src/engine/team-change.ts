import { addSpent, type SpentUsage } from '@quire/agent/spent'
import type { EventLog } from '@quire/kit/event-log/event-log'
import type { Queue } from '@quire/kit/queue/queue'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { Transaction } from '@quire/kit/store/store'
import type { NewTeamEvent, TeamEventType } from '../team-event.ts'
import { dispatch } from './dispatch.ts'
import type { TeamSchema, TeamStore } from './tables.ts'
import { lockTeam, type TeamRow } from './team-rows.ts'

/** What every part of the engine writes and reads with. */
export interface EngineStore {
  readonly store: TeamStore
  readonly queue: Pick<Queue, 'enqueue' | 'cancel'>
  readonly log: EventLog<NewTeamEvent>
  readonly now: () => Date
}

type Counter = 'tasks_total' | 'tasks_completed' | 'tasks_failed' | 'tasks_cancelled'

/** One transaction on one team: what is changed of it, what is told of it and what follows from it are there together or not at all. */
export interface TeamChange {
  readonly tx: Transaction<TeamSchema>
  /** As it is after what was set. */
  team(): TeamRow
  set(values: Partial<TeamRow>): void
  count(counter: Counter, by: 1 | -1): void
  spend(spent: SpentUsage): void
  tell(type: TeamEventType, data: NewTeamEvent['data']): void
  /** Before the commit, tasks that can be begun now are given to members. */
  dispatch(): void
}

/** Where the ids of jobs are announced whose runs have to end. */
export const ENDED_CHANNEL = 'team_job_ended'

export async function changeTeam<Result>(
  engine: EngineStore,
  teamId: string,
  work: (change: TeamChange) => Promise<Result>,
  outer?: Transaction<TeamSchema>,
): Promise<Result> {
  if (!outer) return engine.store.transaction((tx) => changeTeam(engine, teamId, work, tx))
  let team = await lockTeam(engine.store, outer, teamId)
  let changed: Partial<TeamRow> = {}
  let isToDispatch = false
  const events: NewTeamEvent[] = []

  const change: TeamChange = Object.freeze({
    tx: outer,
    team: () => team,
    set(values) {
      changed = { ...changed, ...values }
      team = { ...team, ...values }
    },
    count: (counter, by) => change.set({ [counter]: team[counter] + by }),
    spend: (spent) => change.set({ spent: toJson(addSpent(fromJson<SpentUsage>(team.spent), spent)) }),
    tell: (type, data) => void events.push({ type, data }),
    dispatch() {
      isToDispatch = true
    },
  } satisfies TeamChange)

  const result = await work(change)
  if (isToDispatch) await dispatch(engine, change)
  if (Object.keys(changed).length > 0)
    await outer.db.updateTable('team').set(changed).where('id', '=', teamId).execute()
  await engine.log.append(teamId, events, outer)
  return result
}

/** The job will not be begun, and whichever process runs it stops. */
export async function endJob(
  { queue, store }: EngineStore,
  { tx }: TeamChange,
  jobId: string | null,
): Promise<void> {
  if (jobId === null) return
  await queue.cancel(jobId, tx)
  await store.notify(ENDED_CHANNEL, jobId, tx)
}
