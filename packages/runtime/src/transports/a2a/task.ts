import type { ToolCall } from '@quire/agent/message'
import { toUsage } from '../../routes/conversation-view.ts'
import type { TurnResult } from '../../turns/turns.ts'
import { failureOf } from '../turn-failure.ts'
import { type TaskKey, toTaskId } from './task-id.ts'
import type { A2aMessage, Artifact, Part, Task, TaskState, TaskStatus } from './wire.ts'

export const STATES = Object.freeze({
  running: 'TASK_STATE_WORKING',
  complete: 'TASK_STATE_COMPLETED',
  waiting: 'TASK_STATE_INPUT_REQUIRED',
  cancelled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
  interrupted: 'TASK_STATE_FAILED',
} as const satisfies Record<string, TaskState>)

const OPEN: ReadonlySet<TaskState> = new Set([STATES.running, STATES.waiting])

export function isOpen({ status }: Task): boolean {
  return OPEN.has(status.state)
}

/** All that an agent says in a turn is one artifact. */
export function toAnswer(text: string): Artifact {
  return { artifactId: 'answer', name: 'answer', parts: [{ text, mediaType: 'text/plain' }] }
}

/** `said`: what the agent has said so far. */
export function toWorkingTask(key: TaskKey, said = ''): Task {
  return {
    ...idsOf(key),
    status: { state: STATES.running },
    ...(said !== '' && { artifacts: [toAnswer(said)] }),
  }
}

/** `pending`: the calls that wait for a decision. */
export function toEndedTask(key: TaskKey, result: TurnResult, pending: readonly ToolCall[]): Task {
  return {
    ...idsOf(key),
    status: toStatus(key, result, pending),
    ...(result.text !== '' && { artifacts: [toAnswer(result.text)] }),
    metadata: { usage: toUsage(result.usage) },
  }
}

export function toStatus(key: TaskKey, result: TurnResult, pending: readonly ToolCall[]): TaskStatus {
  const parts = partsOf(result, pending)
  return {
    state: STATES[result.status],
    ...(parts && { message: fromAgent(key, `${key.turnId}.status`, parts) }),
  }
}

function partsOf(result: TurnResult, pending: readonly ToolCall[]): readonly Part[] | undefined {
  const failure = failureOf(result)
  if (failure) return [{ text: failure.detail }]
  if (result.status !== 'waiting') return undefined
  const names = pending.map(({ name }) => `"${name}"`).join(', ')
  return [
    {
      text: `The agent wants to call ${names}. Send a message with this taskId and a data part {"approvals": [{"call_id", "approved", "args"?, "reason"?}]}.`,
    },
    {
      data: { approvals: pending.map(({ id, name, args }) => ({ call_id: id, name, args })) },
      mediaType: 'application/json',
    },
  ]
}

export function fromAgent(key: TaskKey, messageId: string, parts: readonly Part[]): A2aMessage {
  const { id: taskId, contextId } = idsOf(key)
  return { messageId, contextId, taskId, role: 'ROLE_AGENT', parts }
}

export function idsOf(key: TaskKey): Pick<Task, 'id' | 'contextId'> {
  return { id: toTaskId(key), contextId: key.conversationId }
}
