import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { Team } from '../team.ts'
import { type Following, followTask } from './follow-task.ts'
import { type Message, NO_PUSH, parseListTasks, parseSendMessage, parseTaskId } from './params.ts'
import { readPage } from './task-page.ts'
import { createTeamTasks, type TeamTasksOptions } from './team-tasks.ts'
import { type TaskMoment, toWireTask } from './wire-task.ts'

export interface MethodCall {
  readonly team: Team
  readonly params: unknown
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** A stream, once it is sure that there will be one. */
export interface OpenStream extends Pick<Following, 'task'> {
  readonly contextId: string
  changes(signal: AbortSignal): AsyncIterable<TaskMoment>
}

export interface Method<Result> {
  readonly scope: 'teams:read' | 'teams:write'
  run(call: MethodCall): Promise<Result>
}

export interface Methods {
  readonly answers: ReadonlyMap<string, Method<unknown>>
  readonly streams: ReadonlyMap<string, Method<OpenStream>>
}

export function createMethods(options: TeamTasksOptions): Methods {
  const { teams } = options
  const tasks = createTeamTasks(options)
  const reading = <Result>(run: Method<Result>['run']): Method<Result> => ({ scope: 'teams:read', run })
  const writing = <Result>(run: Method<Result>['run']): Method<Result> => ({ scope: 'teams:write', run })

  const answers: Record<string, Method<unknown>> = {
    SendMessage: writing(async ({ team, params, signal }) => {
      const { message, configuration } = parseSendMessage(params)
      const begun = await tasks.begin(team, message)
      const isWaitedFor = team.status === 'running' && !configuration?.returnImmediately
      const moment = isWaitedFor ? await tasks.untilEnd(begun, signal) : begun
      return { task: toWireTask(moment, contextOf(team, message)) }
    }),
    GetTask: reading(async ({ team, params }) => {
      const task = await tasks.find(team, parseTaskId(params))
      return toWireTask({ task }, team.id)
    }),
    ListTasks: reading(async ({ team, params }) => {
      const { contextId, ...query } = parseListTasks(params)
      if (contextId && contextId !== team.id)
        throw new UnsupportedOperationError(
          `Of contexts nothing is kept but the team's own: list its tasks with the contextId "${team.id}", or without one.`,
        )
      return readPage(teams, team.id, query)
    }),
    CancelTask: writing(async ({ team, params }) => {
      const task = await tasks.cancel(team, parseTaskId(params))
      return toWireTask({ task }, team.id)
    }),
    GetExtendedAgentCard: reading(async () => {
      throw new ExtendedAgentCardNotConfiguredError('The card of a team is the same for everybody.')
    }),
    ...Object.fromEntries(PUSH_METHODS.map((name) => [name, reading(refusePush)])),
  }

  const streams: Record<string, Method<OpenStream>> = {
    SendStreamingMessage: writing(async ({ team, params }) => {
      const { message } = parseSendMessage(params)
      return open(await tasks.begin(team, message), contextOf(team, message))
    }),
    SubscribeToTask: reading(async ({ team, params }) =>
      open(await tasks.join(team, parseTaskId(params)), team.id),
    ),
  }

  function open(following: Following, contextId: string): OpenStream {
    return { task: following.task, contextId, changes: (signal) => followTask(teams, following, signal) }
  }

  return Object.freeze({
    answers: new Map(Object.entries(answers)),
    streams: new Map(Object.entries(streams)),
  })
}

const PUSH_METHODS = [
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
]

async function refusePush(): Promise<never> {
  throw new PushNotificationNotSupportedError(NO_PUSH)
}

/** One of the caller's own is told back, and kept nowhere. */
function contextOf(team: Team, { contextId }: Message): string {
  return contextId || team.id
}
