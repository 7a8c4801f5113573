import { Task, Team, TeamEvent } from '@quire/teams/contract'
import { z } from 'zod'
import { teamPath } from './find-team.ts'
import type { TeamsClient } from './teams-client.ts'

/** What is kept of a task while it is watched. */
export type WatchedTask = Pick<
  Task,
  | 'task_id'
  | 'title'
  | 'status'
  | 'assigned_to'
  | 'attempts'
  | 'depends_on'
  | 'created_at'
  | 'started_at'
  | 'ended_at'
>
export type WatchedTeam = Pick<Team, 'team_id' | 'name' | 'status' | 'pause_reason'>

/** A team and its tasks as the service has them: events say when to look again. */
export interface Board {
  team(): WatchedTeam
  /** Those that are watched, in the order of their creation. */
  tasks(): readonly WatchedTask[]
  task(taskId: string): WatchedTask | undefined
  load(): Promise<void>
  /** Looks again at what the event is about. */
  apply(event: TeamEvent): Promise<void>
  /** Whether it is of a task that is watched, or of the team. */
  concerns(event: TeamEvent): boolean
  /** The number of the newest event. */
  newest(): Promise<number>
  /** Nothing that is watched will come to an end by itself any more. */
  isIdle(): boolean
}

const PAGE = 1_000
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

/** With `only`, that task is watched, and those that it waits for are known. */
export function createBoard(client: TeamsClient, teamId: string, only?: string): Board {
  const known = new Map<string, WatchedTask>()
  let team: WatchedTeam = { team_id: teamId, name: teamId, status: 'draft' }

  async function loadTeam(): Promise<void> {
    team = await client.read(teamPath(teamId), Team)
  }

  async function loadTasks(): Promise<void> {
    if (only !== undefined) return loadWithBlockers(only)
    for (let offset = 0; ; offset += PAGE) {
      const path = teamPath(teamId, `/tasks?limit=${PAGE}&offset=${offset}`)
      const page = await client.read(path, z.array(Task))
      for (const task of page) keep(task)
      if (page.length < PAGE) return
    }
  }

  async function loadWithBlockers(first: string): Promise<void> {
    const left = new Set([first])
    for (const taskId of left) {
      const { status, depends_on } = await look(taskId)
      if (status === 'pending') for (const id of depends_on) left.add(id)
    }
  }

  async function look(taskId: string): Promise<Task> {
    const task = await client.read(teamPath(teamId, `/tasks/${encodeURIComponent(taskId)}`), Task)
    keep(task)
    return task
  }

  function keep(task: Task): void {
    const { task_id, title, status, assigned_to, attempts } = task
    const { depends_on, created_at, started_at, ended_at } = task
    const slim = { task_id, title, status, assigned_to, attempts }
    known.set(task_id, { ...slim, depends_on, created_at, started_at, ended_at })
  }

  const tasks = () => [...known.values()].filter(({ task_id }) => only === undefined || task_id === only)

  /** Those that wait for one that failed or was cancelled. */
  function findStuck(): ReadonlySet<string> {
    const stuckIds = new Set<string>()
    for (let before = -1; before < stuckIds.size; ) {
      before = stuckIds.size
      for (const { task_id, status, depends_on } of known.values())
        if (status === 'pending' && depends_on.some((id) => stuckIds.has(id) || isDead(known.get(id))))
          stuckIds.add(task_id)
    }
    return stuckIds
  }

  return Object.freeze({
    team: () => team,
    tasks,
    task: (taskId: string) => known.get(taskId),
    async load() {
      await loadTeam()
      await loadTasks()
    },
    async apply({ event_type, data }: TeamEvent) {
      if (event_type.startsWith('team_')) {
        await loadTeam()
        if (event_type === 'team_stopped' || event_type === 'team_paused') await loadTasks()
        return
      }
      const taskId = String(data.task_id)
      const task = known.get(taskId)
      if (!task && only !== undefined) return
      // One that has ended changes no more, but for being retried.
      if (task && ENDED.has(task.status) && event_type !== 'task_retried') return
      await look(taskId)
    },
    concerns({ data: { task_id: taskId } }: TeamEvent) {
      return only === undefined || taskId === undefined || taskId === only
    },
    async newest() {
      const [event] = await client.read(teamPath(teamId, '/events?limit=1'), z.array(TeamEvent))
      return event?.seq ?? 0
    },
    isIdle() {
      const stuckIds = findStuck()
      const left = tasks().filter(({ task_id, status }) => !ENDED.has(status) && !stuckIds.has(task_id))
      // A team that paused by itself goes on only when somebody lets it.
      const isHeld = team.pause_reason !== undefined && left.every(({ status }) => status === 'pending')
      return left.length === 0 || isHeld
    },
  })
}

function isDead(task: WatchedTask | undefined): boolean {
  return task?.status === 'failed' || task?.status === 'cancelled'
}
