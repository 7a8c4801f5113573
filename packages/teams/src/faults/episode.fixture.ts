import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fromJson } from '@quire/kit/store/json'
import type { TeamEvent } from '../teams.ts'
import { check } from './check.fixture.ts'
import { recoveries } from './check-recovery.fixture.ts'
import { type Client, createClient } from './client.fixture.ts'
import { type Onlooker, openOnlooker, type StoredTask } from './database.fixture.ts'
import { type Fleet, startFleet } from './fleet.fixture.ts'
import { readLedgers } from './ledger.fixture.ts'
import type { Action, Plan, Round } from './plan.fixture.ts'

export interface Episode {
  /** The first thing that is broken; undefined: everything holds. */
  readonly broken: string | undefined
  /** What was done, in numbers. */
  readonly summary: string
  readonly kills: number
  /** The longest that work which was cut short waited to be gone on with. */
  readonly recoveryMs: number
  /** What the processes logged last. */
  readonly log: string
}

/** Held twice over, since the machine may be busy with other things. */
export const RECOVERY_MS = Object.freeze({ sqlite: 5_000, postgres: 15_000 })
const SLACK = 2
const SETTLE_MS = 120_000
const SAMPLE_MS = 40
const LOOK_MS = 100

/** Feeds processes with tasks, kills them by plan, lets everything come to its end, and looks whether what was promised holds. */
export async function playEpisode(plan: Plan, url: string): Promise<Episode> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-faults-'))
  const fleet = await startFleet(url, folder, plan.processes)
  const onlooker = await openOnlooker(url)
  const client = createClient(fleet, plan)
  const sampler = startSampler(onlooker)
  try {
    await client.createTeams()
    client.watch()
    for (const round of plan.rounds) await playRound(round, client, fleet)
    const stuck = await settle(client, onlooker)
    const events = await readEvents(client)
    const wrong = await sampler.stop()
    await client.leave()
    const codes = await fleet.stop()
    const tasks = await onlooker.tasks()
    const ledgers = readLedgers(folder)
    const cut = recoveries(fleet.kills, ledgers, tasks, events)
    const recoveryMs = Math.max(0, ...cut.filter(({ isDisturbed }) => !isDisturbed).map(({ ms }) => ms))
    const limitMs = SLACK * RECOVERY_MS[url.startsWith('sqlite:') ? 'sqlite' : 'postgres']
    const broken =
      stuck ??
      wrong ??
      check({ plan, client: client.ledger, tasks, steps: await onlooker.steps(), events, ledgers }) ??
      (recoveryMs > limitMs ? `interrupted work was gone on with after ${recoveryMs} ms` : undefined) ??
      (codes.every((code) => code === 0) ? undefined : `processes ended with ${codes.join(', ')}`)
    const summary = summarize(plan, client, tasks, cut.length, sampler.count())
    return { broken, summary, kills: fleet.kills.length, recoveryMs, log: fleet.log() }
  } finally {
    await sampler.stop()
    await fleet.destroy()
    await client.leave()
    await onlooker.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function playRound(round: Round, client: Client, fleet: Fleet): Promise<void> {
  const startedAt = Date.now()
  const until = (ms: number) => delay(Math.max(0, startedAt + ms - Date.now()))

  async function act(): Promise<void> {
    const disturbances: Promise<void>[] = []
    for (const action of round.actions) {
      await until(action.atMs)
      // Creations in their order; what disturbs them may overtake and be overtaken.
      if (action.kind === 'create') await client.createTask(action.task)
      else disturbances.push(disturb(action, client))
    }
    await Promise.all(disturbances)
  }

  async function kill(): Promise<void> {
    await until(round.killAtMs)
    await fleet.kill(round.victim)
  }

  await Promise.all([act(), kill()])
}

async function disturb(action: Exclude<Action, { kind: 'create' }>, client: Client): Promise<void> {
  const { teams, created } = client.ledger
  const teamId = teams[action.team]?.id ?? ''
  if (action.kind === 'pause' || action.kind === 'stop') {
    await client.operate(action.kind, teamId)
    await delay(action.forMs)
    await client.operate(action.kind === 'pause' ? 'resume' : 'start', teamId)
    return
  }
  const task = created.get(action.task)
  if (task) await client.operate(action.kind === 'cancel' ? 'cancelTask' : 'retryTask', teamId, task.id)
}

/** What has not come to an end in time. */
async function settle(client: Client, onlooker: Onlooker): Promise<string | undefined> {
  for (const { id } of client.ledger.teams) {
    const { status } = await client.ask('get', id)
    if (status === 'paused') await client.operate('resume', id)
    if (status === 'stopped') await client.operate('start', id)
  }
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const left = unfinished(await onlooker.tasks())
    if (left.length === 0) return undefined
    if (Date.now() > deadline) return `stuck: ${JSON.stringify(left)}`
    await delay(LOOK_MS)
  }
}

/** Those that can still end: not what waits for one that failed or was cancelled. */
function unfinished(tasks: readonly StoredTask[]): readonly StoredTask[] {
  const hopeless = new Set<string>()
  return tasks.filter(({ id, status, depends_on }) => {
    if (status === 'completed') return false
    const isHopeless = fromJson<string[]>(depends_on).some((other) => hopeless.has(other))
    if (status === 'failed' || status === 'cancelled' || isHopeless) hopeless.add(id)
    return !hopeless.has(id)
  })
}

/** Once the client has seen all of them, or was given the time to. */
async function readEvents(client: Client): Promise<ReadonlyMap<string, readonly TeamEvent[]>> {
  const events = new Map<string, readonly TeamEvent[]>()
  for (const { id } of client.ledger.teams) {
    const stored = await client.ask('lastEvents', id, Number.MAX_SAFE_INTEGER)
    events.set(id, stored)
    const deadline = Date.now() + RECOVERY_MS.postgres
    while ((client.ledger.events.get(id)?.length ?? 0) < stored.length && Date.now() < deadline)
      await delay(LOOK_MS)
  }
  return events
}

function startSampler(onlooker: Onlooker) {
  let isOver = false
  let count = 0
  const found = sample()

  async function sample(): Promise<string | undefined> {
    let first: string | undefined
    while (!isOver) {
      const [wrong] = await onlooker.sample()
      first ??= wrong
      count += 1
      await delay(SAMPLE_MS)
    }
    return first
  }

  return {
    count: () => count,
    stop() {
      isOver = true
      return found
    },
  }
}

function summarize(
  plan: Plan,
  client: Client,
  tasks: readonly StoredTask[],
  interrupted: number,
  samples: number,
): string {
  const { operations, events, reconnections } = client.ledger
  const count = (status: string) => tasks.filter((task) => task.status === status).length
  const seen = [...events.values()].reduce((sum, { length }) => sum + length, 0)
  return [
    `${plan.processes} at a time, ${plan.rounds.length} killed, ${interrupted} runs cut short and gone on with`,
    `${tasks.length} tasks (${count('completed')} completed, ${count('failed')} failed, ${count('cancelled')} cancelled, ${count('pending')} wait for those)`,
    `${operations.length} other requests, ${seen} events, ${reconnections} reconnections, ${samples} samples`,
  ].join('; ')
}
