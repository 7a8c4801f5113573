import { setTimeout as delay } from 'node:timers/promises'
import type { Task } from '../task.ts'
import type { Team } from '../team.ts'
import type { TeamEvent } from '../teams.ts'
import type { Fleet } from './fleet.fixture.ts'
import type { Plan } from './plan.fixture.ts'
import { ProcessGone, Refused, type ServiceProcess } from './process.fixture.ts'

type Operation = 'start' | 'stop' | 'pause' | 'resume' | 'cancelTask' | 'retryTask'

/** All that a client knows: what it was told, and nothing else. */
export interface ClientLedger {
  readonly teams: readonly Team[]
  /** By the task's place in the plan. */
  readonly created: ReadonlyMap<number, Task>
  readonly operations: readonly {
    readonly operation: Operation
    readonly id: string
    /** `unknown`: nobody was left to answer. */
    readonly outcome: 'acknowledged' | 'refused' | 'unknown'
  }[]
  /** As they were seen, by team. */
  readonly events: ReadonlyMap<string, readonly TeamEvent[]>
  readonly reconnections: number
}

export interface Client {
  readonly ledger: ClientLedger
  createTeams(): Promise<void>
  createTask(place: number): Promise<void>
  /** Where it is not known whether it was done, it is asked for again. */
  operate(operation: Operation, teamId: string, taskId?: string): Promise<void>
  ask: ServiceProcess['call']
  /** Follows the events of all teams, whichever process lives. */
  watch(): void
  /** Watches no longer; rejects where it could not go on. */
  leave(): Promise<void>
}

const PAUSE_MS = 20
const MOST_ATTEMPTS = 200

export function createClient(fleet: Fleet, plan: Plan): Client {
  const teams: Team[] = []
  const created = new Map<number, Task>()
  const operations: ClientLedger['operations'][number][] = []
  const events = new Map<string, TeamEvent[]>()
  const watchers: Promise<void>[] = []
  const left = new AbortController()
  const ledger = { teams, created, operations, events, reconnections: 0 }

  /** Asks until somebody answers. */
  const ask: Client['ask'] = (method, ...args) => {
    const attempt = async () => {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await (await fleet.someone()).call(method, ...args)
        } catch (error) {
          const isTransient =
            error instanceof ProcessGone || (error instanceof Refused && error.reason === 'unavailable')
          if (!isTransient || attempts >= MOST_ATTEMPTS) throw error
        }
        await delay(PAUSE_MS)
      }
    }
    // What the method of that name resolves with.
    return attempt() as ReturnType<typeof ask<typeof method>>
  }

  async function operate(operation: Operation, teamId: string, taskId = ''): Promise<void> {
    const id = taskId || teamId
    for (;;) {
      const one = await fleet.someone()
      try {
        if (operation === 'cancelTask' || operation === 'retryTask') await one.call(operation, teamId, taskId)
        else await one.call(operation, teamId)
        return void operations.push({ operation, id, outcome: 'acknowledged' })
      } catch (error) {
        if (error instanceof Refused && error.reason === 'conflict')
          return void operations.push({ operation, id, outcome: 'refused' })
        const isTransient = error instanceof Refused && error.reason === 'unavailable'
        if (!isTransient && !(error instanceof ProcessGone)) throw error
        operations.push({ operation, id, outcome: 'unknown' })
      }
      await delay(PAUSE_MS)
    }
  }

  async function follow(teamId: string, seen: TeamEvent[]): Promise<void> {
    while (!left.signal.aborted) {
      const one = await fleet.someone()
      const gone = one.watch(teamId, seen.at(-1)?.seq ?? 0, (event) => {
        if (!left.signal.aborted) seen.push(event)
      })
      const isLeft = new Promise<void>((resolve) =>
        left.signal.addEventListener('abort', () => resolve(), { once: true }),
      )
      await Promise.race([gone, isLeft])
      if (!left.signal.aborted) ledger.reconnections += 1
    }
  }

  return Object.freeze({
    ledger,
    ask,
    operate,
    async createTeams() {
      const one = await fleet.someone()
      for (const draft of plan.teams) {
        const team = await one.call('create', draft)
        teams.push(await one.call('start', team.id))
      }
    },
    async createTask(place: number) {
      const planned = plan.tasks[place]
      const team = teams[planned?.team ?? 0]
      if (!planned || !team) throw new Error(`The plan has no task ${place}.`)
      const dependsOn = planned.dependsOn.map((index) => created.get(index)?.id ?? '')
      const { task } = await ask('createTask', team.id, { ...planned.draft, dependsOn }, `key-${place}`)
      created.set(place, task)
    },
    watch() {
      for (const { id } of teams) {
        const seen: TeamEvent[] = []
        events.set(id, seen)
        watchers.push(follow(id, seen))
      }
    },
    async leave() {
      left.abort()
      await Promise.all(watchers)
    },
  } satisfies Client)
}
