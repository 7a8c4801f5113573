import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { Decision } from '@quire/agent/run-agent'
import { decideCalls } from '../decide-calls.ts'
import type { TransportParts } from '../parts.ts'
import { requirePrompt } from '../prompt-text.ts'
import { type Run, runOf } from '../run.ts'
import { type Message, parseApprovals, type SendMessage } from './requests.ts'
import type { TaskCaller, Tasks } from './tasks.ts'

/** A message begins a turn, or, with the id of a task that waits, decides what it waits for. */
export async function sendMessage(
  parts: TransportParts,
  tasks: Tasks,
  caller: TaskCaller,
  { message, configuration }: SendMessage,
): Promise<Run> {
  if (configuration?.taskPushNotificationConfig)
    throw new PushNotificationNotSupportedError(
      'There are no push notifications here: stream, or ask with GetTask.',
    )
  if (message.taskId) return answerTask(parts, tasks, caller, message, message.taskId)
  return runOf(
    await parts.turns.prompt({
      ...caller,
      conversationId: message.contextId || undefined,
      message: requirePrompt(textOf(message), 'params.message.parts'),
    }),
  )
}

async function answerTask(
  parts: TransportParts,
  tasks: Tasks,
  caller: TaskCaller,
  message: Message,
  taskId: string,
): Promise<Run> {
  const { key, task } = await tasks.findOpen(caller, taskId)
  if (message.contextId && message.contextId !== key.conversationId)
    throw new RequestMalformedError('params.message.contextId: is not the one of the task')
  if (task.status.state !== 'TASK_STATE_INPUT_REQUIRED')
    throw new UnsupportedOperationError(
      `The task "${taskId}" is under way, and takes no message until it waits for one.`,
    )
  return decideCalls(parts, {
    ...caller,
    conversationId: key.conversationId,
    decisions: decisionsOf(message),
  })
}

function textOf({ parts }: Message): string {
  return parts
    .map(({ text }, index) => {
      if (text === undefined)
        throw new ContentTypeNotSupportedError(
          `params.message.parts.${index}: must be a text: files and data are not read here`,
        )
      return text
    })
    .join('\n')
}

function decisionsOf({ parts }: Message): ReadonlyMap<string, Decision> {
  const approvals = parts.flatMap(({ data }) => (data === undefined ? [] : parseApprovals(data).approvals))
  if (approvals.length === 0)
    throw new RequestMalformedError(
      'params.message.parts: the task waits for a decision: send a data part {"approvals": [{"call_id": "…", "approved": true | false}]}',
    )
  return new Map(
    approvals.map(({ call_id, approved, args, reason }) => [
      call_id,
      { isApproved: approved, ...(args && { args }), ...(reason !== undefined && { reason }) },
    ]),
  )
}
