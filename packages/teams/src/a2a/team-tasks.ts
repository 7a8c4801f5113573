import { TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { CallerError } from '@quire/kit/errors'
import { knownTask } from '../routes/known-ids.ts'
import type { Task } from '../task.ts'
import type { Team } from '../team.ts'
import type { Teams } from '../teams.ts'
import { type Following, followTask } from './follow-task.ts'
import { type Message, toDraft } from './params.ts'
import { isEnded, type TaskMoment } from './wire-task.ts'

export interface TeamTasksOptions {
  readonly teams: Teams
  /** How long whoever waits for the end of a task is kept waiting. */
  readonly waitMs: number
  readonly isStopping: () => boolean
}

const LOOK_EVERY_MS = 200

/** The tasks of teams, by what A2A does with them. */
export function createTeamTasks({ teams, waitMs, isStopping }: TeamTasksOptions) {
  async function find(team: Team, id: string): Promise<Task> {
    const { teamId, taskId } = knownTask({ team_id: team.id, task_id: id })
    return teams.getTask(teamId, taskId)
  }

  async function lastSeq(team: Team): Promise<number> {
    return (await teams.lastEvents(team.id, 1)).at(-1)?.seq ?? 0
  }

  /** The same message twice is the same task. */
  async function begin(team: Team, message: Message): Promise<Following> {
    if (message.taskId) throw goesNotOn(await find(team, message.taskId))
    const draft = toDraft(message)
    const after = await lastSeq(team)
    // With a blank, which no key that comes in a header has.
    const { task } = await teams.createTask(team.id, draft, `a2a ${message.messageId}`)
    // What is new does not say yet that its team has to be started.
    return { after, task: team.status === 'running' ? task : await find(team, task.id) }
  }

  async function join(team: Team, id: string): Promise<Following> {
    const after = await lastSeq(team)
    const task = await find(team, id)
    if (!isEnded(task)) return { after, task }
    throw new UnsupportedOperationError(`The task "${task.id}" is ${task.status}: ask for it with GetTask.`)
  }

  /** Its end; or how it stands, when that has been waited for long enough. */
  async function untilEnd(begun: Following, signal: AbortSignal): Promise<TaskMoment> {
    if (isEnded(begun.task)) return begun
    const stopping = new AbortController()
    const watch = setInterval(() => isStopping() && stopping.abort(), LOOK_EVERY_MS)
    try {
      const enough = AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(waitMs)])
      for await (const moment of followTask(teams, begun, enough)) if (isEnded(moment.task)) return moment
      return { task: await teams.getTask(begun.task.teamId, begun.task.id) }
    } finally {
      clearInterval(watch)
    }
  }

  async function cancel(team: Team, id: string): Promise<Task> {
    const task = await find(team, id)
    if (task.status === 'cancelled') return task
    try {
      return await teams.cancelTask(team.id, task.id)
    } catch (error) {
      if (error instanceof CallerError && error.problem.reason === 'conflict')
        throw new TaskNotCancelableError(error.message)
      throw error
    }
  }

  return Object.freeze({ find, begin, join, untilEnd, cancel })
}

function goesNotOn({ id }: Task): Error {
  return new UnsupportedOperationError(
    `The task "${id}" takes no more messages. Send one without taskId, which becomes a task of its own; with "referenceTaskIds": ["${id}"] it is given the result of this one.`,
  )
}
