import { createRowId } from '@quire/kit/store/row-id'
import { sql } from 'kysely'
import type { ExecutionMode } from '../team.ts'
import { CRASH_RETRY, type JobPayload, WORK_QUEUE } from './jobs.ts'
import type { EngineStore, TeamChange } from './team-change.ts'
import { readMembers } from './team-rows.ts'

interface Ready {
  readonly id: string
  readonly priority: number
  readonly number: number
  readonly wanted: string
}

interface FreeMember {
  readonly name: string
  readonly taken: number
}

/** What a mode chooses: a member for a task, or that the supervisor is to be asked. */
type Choice = { readonly task: Ready; readonly member: string | 'ask' }

interface Situation {
  /** In order of preference: fewest tasks so far, then the order of the team. */
  readonly free: readonly FreeMember[]
  readonly membersCount: number
  /** Jobs of the team that wait or run. */
  jobs(): Promise<number>
  /** The most urgent task that waits for nothing but a member, even when its time has not come. */
  first(): Promise<(Ready & { readonly notBefore: number }) | undefined>
  /** Those whose time has come, for this member or (empty) for anybody, most urgent first. */
  ready(wanted: string, limit: number): Promise<readonly Ready[]>
  readonly now: number
}

type Scheduler = (situation: Situation) => Promise<readonly Choice[]>

/** A task that waits for its next attempt keeps its place: one at a time means in order. */
const sequential: Scheduler = async ({ jobs, first, free, now }) => {
  if ((await jobs()) > 0) return []
  const task = await first()
  if (!task || task.notBefore > now) return []
  const member = task.wanted || free[0]?.name
  return member === undefined ? [] : [{ task, member }]
}

const parallel: Scheduler = async ({ free, ready, first }) => {
  // Each free member is looked for by itself: not where there is nothing for anybody.
  if (free.length > 1 && !(await first())) return []
  const forAnybody = await ready('', free.length)
  return share(free, [...forAnybody, ...(await readyForThem(free, ready))])
}

/** As many are asked about at a time as there are members without work. */
const supervised: Scheduler = async ({ free, ready, jobs, membersCount }) => {
  const given = share(free, await readyForThem(free, ready))
  const asking = (await jobs()) - (membersCount - free.length)
  const room = free.length - given.length - asking
  if (room <= 0) return given
  const unasked = await ready('', room)
  return [...given, ...unasked.map((task): Choice => ({ task, member: 'ask' }))]
}

const SCHEDULERS: Readonly<Record<ExecutionMode, Scheduler>> = Object.freeze({
  sequential,
  parallel,
  supervisor: supervised,
})

async function readyForThem(free: readonly FreeMember[], ready: Situation['ready']) {
  const found: Ready[] = []
  for (const { name } of free) found.push(...(await ready(name, 1)))
  return found
}

/** One for each, most urgent first. */
function share(free: readonly FreeMember[], tasks: readonly Ready[]): Choice[] {
  const left = free.map(({ name }) => name)
  const choices: Choice[] = []
  for (const task of tasks.toSorted(
    (one, other) => one.priority - other.priority || one.number - other.number,
  )) {
    const member = task.wanted === '' ? left[0] : left.find((name) => name === task.wanted)
    if (member === undefined) continue
    left.splice(left.indexOf(member), 1)
    choices.push({ task, member })
  }
  return choices
}

/** Gives tasks to members, by the team's mode, and enqueues a job for each. */
export async function dispatch(engine: EngineStore, change: TeamChange): Promise<void> {
  if (change.team().status !== 'running') return
  const situation = await look(engine, change)
  if (situation.free.length === 0) return
  for (const { task, member } of await SCHEDULERS[change.team().mode](situation)) {
    if (member === 'ask') await askAbout(engine, change, task)
    else await give(engine, change, task, member)
  }
}

async function look({ now }: EngineStore, { tx, team }: TeamChange): Promise<Situation> {
  const { db } = tx
  const teamId = team().id
  const at = now().getTime()
  const members = await readMembers(db, teamId)
  const pending = db
    .selectFrom('team_task')
    .select(['id', 'priority', 'number', 'wanted', 'not_before as notBefore'])
    .where('team_id', '=', teamId)
    // Written out, so that the index of those that are ready is of use.
    .where('status', '=', sql.lit('pending'))
    .where('blockers', '=', sql.lit(0))
    .orderBy('priority')
    .orderBy('number')
  return {
    free: members.filter(({ active }) => active === 0).sort((one, other) => one.taken - other.taken),
    membersCount: members.length,
    now: at,
    async jobs() {
      const row = await db
        .selectFrom('team_task')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('team_id', '=', teamId)
        .where('job_id', 'is not', null)
        .executeTakeFirst()
      return row?.count ?? 0
    },
    first: () => pending.limit(1).executeTakeFirst(),
    ready: (wanted, limit) =>
      pending
        .where('wanted', '=', wanted)
        .where('job_id', 'is', null)
        .where('not_before', '<=', at)
        .limit(limit)
        .execute(),
  }
}

async function give(engine: EngineStore, change: TeamChange, task: Ready, member: string): Promise<void> {
  const { db } = change.tx
  const teamId = change.team().id
  const jobId = await enqueue(engine, change, task, 'run')
  await db
    .updateTable('team_task')
    .set({ status: 'assigned', member, job_id: jobId, assigned_at: engine.now().toISOString() })
    .where('id', '=', task.id)
    .execute()
  await db
    .updateTable('team_member')
    .set((row) => ({ active: row('active', '+', 1), taken: row('taken', '+', 1) }))
    .where('team_id', '=', teamId)
    .where('name', '=', member)
    .execute()
  // Of the others it was told when they were created, or when the supervisor chose.
  if (task.wanted === '') change.tell('task_assigned', { task_id: task.id, assigned_to: member })
}

async function askAbout(engine: EngineStore, change: TeamChange, task: Ready): Promise<void> {
  const jobId = await enqueue(engine, change, task, 'route')
  await change.tx.db.updateTable('team_task').set({ job_id: jobId }).where('id', '=', task.id).execute()
}

const MOST_URGENT = 3
const SHORTEST_WAIT_MS = 10

async function enqueue(
  { queue }: EngineStore,
  { tx, team }: TeamChange,
  task: Ready,
  kind: 'run' | 'route',
): Promise<string> {
  const id = createRowId()
  const payload: JobPayload = { kind, teamId: team().id, taskId: task.id }
  const priority = MOST_URGENT - task.priority
  await queue.enqueue({ queue: WORK_QUEUE, id, payload, priority, retry: CRASH_RETRY }, tx)
  return id
}

/** So that what waits for a time is begun when it has come. */
export async function wakeLater(engine: EngineStore, { tx, team }: TeamChange, at: number): Promise<void> {
  const payload: JobPayload = { kind: 'wake', teamId: team().id, at }
  const delayMs = Math.max(SHORTEST_WAIT_MS, at - engine.now().getTime())
  await engine.queue.enqueue(
    { queue: WORK_QUEUE, payload, delayMs, priority: MOST_URGENT, retry: CRASH_RETRY },
    tx,
  )
}

/** The queue's clock is another one, and may be ahead: who comes too early comes again. */
export async function wakeUp(engine: EngineStore, change: TeamChange, at: number): Promise<void> {
  if (engine.now().getTime() < at) await wakeLater(engine, change, at)
  else change.dispatch()
}
