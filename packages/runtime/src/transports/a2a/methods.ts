import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { TransportParts } from '../parts.ts'
import { type Run, runOf } from '../run.ts'
import { parseListTasks, parseSendMessage, parseTaskRequest } from './requests.ts'
import { sendMessage } from './send-message.ts'
import { toEndedTask, toWorkingTask } from './task.ts'
import { createTasks, type TaskCaller } from './tasks.ts'
import { keyOf } from './to-responses.ts'
import type { Task } from './wire.ts'

export interface A2aCall extends TaskCaller {
  readonly params: unknown
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** A stream, once it is sure that there will be one. */
export interface OpenStream {
  readonly run: Run
  readonly task: Task
}

export type AnswerMethod = (call: A2aCall) => Promise<unknown>
export type StreamMethod = (call: A2aCall) => Promise<OpenStream>

export interface A2aMethods {
  readonly answers: ReadonlyMap<string, AnswerMethod>
  readonly streams: ReadonlyMap<string, StreamMethod>
}

export function createMethods(parts: TransportParts): A2aMethods {
  const tasks = createTasks(parts)

  const answers: Record<string, AnswerMethod> = {
    async SendMessage(call) {
      const request = parseSendMessage(call.params)
      const run = await sendMessage(parts, tasks, callerOf(call), request)
      const key = keyOf(run)
      if (request.configuration?.returnImmediately) return { task: toWorkingTask(key) }
      for await (const step of run.steps(call.signal))
        if (step.type === 'end') return { task: toEndedTask(key, step.result, step.pending) }
      return { task: toWorkingTask(key) }
    },
    GetTask(call) {
      const { id, historyLength } = parseTaskRequest(call.params)
      return tasks.get(callerOf(call), id, historyLength)
    },
    async ListTasks(call) {
      const { contextId, status, statusTimestampAfter: since, ...page } = parseListTasks(call.params)
      if (!contextId)
        throw new UnsupportedOperationError('Tasks are listed by their conversation: name it with contextId.')
      const found = await tasks.list(callerOf(call), { contextId, status, since })
      return toPage(found, page)
    },
    CancelTask: (call) => tasks.cancel(callerOf(call), parseTaskRequest(call.params).id),
    GetExtendedAgentCard: () =>
      Promise.reject(
        new ExtendedAgentCardNotConfiguredError('The card of an agent is the same for everybody.'),
      ),
    ...Object.fromEntries(PUSH_METHODS.map((method) => [method, refusePush])),
  }

  const streams: Record<string, StreamMethod> = {
    async SendStreamingMessage(call) {
      const run = await sendMessage(parts, tasks, callerOf(call), parseSendMessage(call.params))
      return { run, task: toWorkingTask(keyOf(run), run.before?.text) }
    },
    async SubscribeToTask(call) {
      const { turn, task } = await tasks.findOpen(callerOf(call), parseTaskRequest(call.params).id)
      // What was said comes again, from the beginning.
      const { artifacts: _, ...rest } = task
      return { run: runOf(turn), task: rest }
    },
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

function refusePush(): Promise<never> {
  return Promise.reject(
    new PushNotificationNotSupportedError(
      'There are no push notifications here: stream, or ask with GetTask.',
    ),
  )
}

function callerOf({ owner, agentId }: A2aCall): TaskCaller {
  return { owner, agentId }
}

interface Page {
  readonly pageSize: number
  readonly pageToken: number
  readonly includeArtifacts?: boolean | undefined
}

function toPage(tasks: readonly Task[], { pageSize, pageToken, includeArtifacts }: Page) {
  const end = pageToken + pageSize
  return {
    tasks: tasks
      .slice(pageToken, end)
      .map(({ artifacts, ...task }) => (includeArtifacts ? { ...task, artifacts: artifacts ?? [] } : task)),
    nextPageToken: end < tasks.length ? String(end) : '',
    pageSize,
    totalSize: tasks.length,
  }
}
