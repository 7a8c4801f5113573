import { PRIORITIES, type TaskDraft } from '../task.ts'
import type { Member, TeamDraft } from '../team.ts'
import { modelOf, SUPERVISOR, type WorkPlan } from './scripted-work.fixture.ts'

/** What a client does, and when, in milliseconds from the beginning of the round. */
export type Action = { readonly atMs: number; readonly team: number } & (
  | { readonly kind: 'create'; readonly task: number }
  | { readonly kind: 'cancel'; readonly task: number }
  | { readonly kind: 'retry'; readonly task: number }
  /** Both, with some time in between: paused and resumed, stopped and started. */
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'stop'; readonly forMs: number }
)

export interface PlannedTask {
  readonly team: number
  readonly draft: Omit<TaskDraft, 'dependsOn'>
  /** Places in the list of tasks. */
  readonly dependsOn: readonly number[]
}

export interface Plan {
  readonly seed: number
  readonly processes: number
  readonly teams: readonly TeamDraft[]
  readonly tasks: readonly PlannedTask[]
  readonly rounds: readonly Round[]
}

/** Ends with a kill. The next one begins when somebody is there to go on. */
export interface Round {
  /** By time. */
  readonly actions: readonly Action[]
  readonly killAtMs: number
  /** Which of those that live. */
  readonly victim: number
}

const PEOPLE = ['ada', 'bob', 'cy'] as const
const MOST_PROCESSES = 3
const TASKS_A_ROUND = 12
const DISTURBANCES_A_ROUND = 5
const ROUND_MS = 1_000

/** The same seed is the same plan. */
export function makePlan(seed: number, kills: number): Plan {
  const random = createRandom(seed)
  const teams = makeTeams()
  const tasks: PlannedTask[] = []
  const rounds = Array.from({ length: kills }, (): Round => {
    const actions: Action[] = []
    for (const atMs of random.times(TASKS_A_ROUND, ROUND_MS)) {
      const task = makeTask(random, teams, tasks)
      actions.push({ kind: 'create', atMs, team: task.team, task: tasks.push(task) - 1 })
    }
    const disturbances = random
      .times(DISTURBANCES_A_ROUND, ROUND_MS)
      .map((atMs) => makeDisturbance(random, tasks, actions, atMs))
    return {
      actions: [...actions, ...disturbances].toSorted((one, other) => one.atMs - other.atMs),
      killAtMs: random.below(ROUND_MS),
      victim: random.below(MOST_PROCESSES),
    }
  })
  return { seed, processes: 1 + random.below(MOST_PROCESSES), teams, tasks, rounds }
}

function makeTeams(): readonly TeamDraft[] {
  const people = PEOPLE.map(member)
  return [
    { name: 'one by one', executionMode: 'sequential', members: people },
    { name: 'side by side', executionMode: 'parallel', members: people },
    {
      name: 'supervised',
      executionMode: 'supervisor',
      members: [member(SUPERVISOR), ...people],
      supervisor: { memberName: SUPERVISOR, reviewRequired: true },
    },
  ]
}

function member(name: string): Member {
  return { name, model: modelOf(name), systemPrompt: '', mcpToolsets: [] }
}

function makeTask(random: Random, teams: readonly TeamDraft[], earlier: readonly PlannedTask[]): PlannedTask {
  const team = random.below(teams.length)
  const isReviewed = teams[team]?.supervisor?.reviewRequired === true
  const work: WorkPlan = {
    calls: random.below(4),
    failures: random.chance(0.15) ? 1 + random.below(2) : 0,
    rejections: isReviewed && random.chance(0.3) ? 1 + random.below(3) : 0,
    stepMs: 5 + random.below(90),
  }
  const ownTeams = earlier.flatMap((task, place) => (task.team === team ? [place] : []))
  return {
    team,
    dependsOn: ownTeams.length > 0 && random.chance(0.3) ? [random.pick(ownTeams)] : [],
    draft: {
      title: `Task ${earlier.length}`,
      description: JSON.stringify(work),
      priority: random.pick(PRIORITIES),
      ...(random.chance(0.3) && { assignedTo: random.pick(PEOPLE) }),
      timeoutSeconds: 60,
      maxRetries: random.chance(0.3) ? 0 : 2,
    },
  }
}

function makeDisturbance(
  random: Random,
  tasks: readonly PlannedTask[],
  round: readonly Action[],
  atMs: number,
): Action {
  const kind = random.pick(['cancel', 'cancel', 'cancel', 'retry', 'retry', 'pause', 'stop'] as const)
  // Those that were created just before may well be under way.
  const newest = round
    .flatMap((one) => (one.kind === 'create' && one.atMs <= atMs ? [one.task] : []))
    .slice(-3)
  const task = kind === 'cancel' && newest.length > 0 ? random.pick(newest) : random.below(tasks.length)
  const team = tasks[task]?.team ?? 0
  if (kind === 'cancel' || kind === 'retry') return { kind, atMs, team, task }
  return { kind, atMs, team, forMs: random.below(500) }
}

type Random = ReturnType<typeof createRandom>

/** Mulberry32. */
function createRandom(seed: number) {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }

  const below = (limit: number) => Math.floor(next() * limit)

  return Object.freeze({
    below,
    /** So many moments, in order. */
    times: (count: number, limit: number) =>
      Array.from({ length: count }, () => below(limit)).toSorted((one, other) => one - other),
    chance: (probability: number) => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
  })
}
