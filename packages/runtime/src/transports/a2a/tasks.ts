import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { ConversationRecord, StoredMessage } from '../../conversations/conversation.ts'
import type { Turn } from '../../turns/turns.ts'
import type { TransportParts } from '../parts.ts'
import { turnSteps } from '../turn-steps.ts'
import { byTurn, toHistory, toPastTask } from './stored-tasks.ts'
import { isOpen, STATES, toEndedTask, toWorkingTask } from './task.ts'
import { parseTaskId, type TaskKey } from './task-id.ts'
import type { Task } from './wire.ts'

export interface TaskCaller {
  readonly owner: string
  readonly agentId: string
}

export interface TaskList {
  readonly contextId: string
  readonly status?: string | undefined
  readonly since?: string | undefined
}

/** A turn that waits is read at once, unless somebody else has just let it go on. */
const READ_MS = 10_000
const UNLIMITED = Number.POSITIVE_INFINITY

export type Tasks = ReturnType<typeof createTasks>

/** Turns as tasks, read from what is there anyway. Another's, or another agent's, is none. */
export function createTasks({ turns, conversations }: Pick<TransportParts, 'turns' | 'conversations'>) {
  async function find(caller: TaskCaller, id: string): Promise<FoundTask> {
    const key = parseTaskId(id)
    const record = key && (await conversationOf(caller, key.conversationId))
    const turn = record && (await turns.join(caller.owner, record.id))
    if (!key || !record || !turn) throw noTask(id)
    if (turn.id === key.turnId) return { key, turn, task: await toCurrent(key, record, turn) }
    const messages = await messagesOf(key)
    if (messages.length === 0) throw noTask(id)
    return { key, task: await toPast(caller, key, messages) }
  }

  /** How one ended that has no answer, its messages do not tell. */
  async function toPast(
    { owner }: TaskCaller,
    key: TaskKey,
    messages: readonly StoredMessage[],
  ): Promise<Task> {
    const told = toPastTask(key, messages)
    if (told.status.state === STATES.complete) return told
    const turn = await turns.find(owner, key.conversationId, key.turnId)
    if (!turn) return told
    const task = toEndedTask(key, await turn.result(), [])
    const { timestamp } = told.status
    return { ...task, status: { ...task.status, ...(timestamp !== undefined && { timestamp }) } }
  }

  async function conversationOf(caller: TaskCaller, id: string): Promise<ConversationRecord | undefined> {
    const record = await conversations.find(caller.owner, id)
    return record?.agentId === caller.agentId ? record : undefined
  }

  async function toCurrent(key: TaskKey, record: ConversationRecord, turn: Turn): Promise<Task> {
    const task = await taskAt(record.status, key, turn)
    return { ...task, status: { ...task.status, timestamp: record.updatedAt } }
  }

  async function messagesOf({ conversationId, turnId }: TaskKey): Promise<readonly StoredMessage[]> {
    const all: StoredMessage[] = []
    for await (const { messages } of conversations.messages(conversationId, { turnId })) all.push(...messages)
    return all
  }

  async function get(caller: TaskCaller, id: string, historyLength = UNLIMITED): Promise<Task> {
    const { key, task } = await find(caller, id)
    const history = toHistory(key, await messagesOf(key), historyLength)
    return { ...task, ...(history.length > 0 && { history }) }
  }

  /** Of one conversation, the newest first. */
  async function list(caller: TaskCaller, { contextId, status, since }: TaskList): Promise<readonly Task[]> {
    const record = await conversationOf(caller, contextId)
    const current = record && (await turns.join(caller.owner, record.id))
    if (!record || !current) return []
    const tasks: Task[] = []
    for await (const [turnId, messages] of byTurn(conversations.messages(contextId)))
      if (turnId !== current.id)
        tasks.push(await toPast(caller, { conversationId: contextId, turnId }, messages))
    tasks.push(await toCurrent({ conversationId: contextId, turnId: current.id }, record, current))
    return tasks
      .filter((task) => status === undefined || task.status.state === status)
      .filter((task) => since === undefined || Date.parse(task.status.timestamp ?? '') >= Date.parse(since))
      .reverse()
  }

  async function cancel(caller: TaskCaller, id: string): Promise<Task> {
    const { turn } = await find(caller, id)
    await turn?.cancel()
    const { task } = await find(caller, id)
    if (isOpen(task) || task.status.state === STATES.cancelled) return task
    throw new TaskNotCancelableError(`The task "${id}" is over: there is nothing to cancel.`)
  }

  /** One that goes on. */
  async function findOpen(caller: TaskCaller, id: string): Promise<Required<FoundTask>> {
    const { key, turn, task } = await find(caller, id)
    if (!turn || !isOpen(task))
      throw new UnsupportedOperationError(
        `The task "${id}" is over. Send a message with its contextId to go on.`,
      )
    return { key, turn, task }
  }

  return Object.freeze({ findOpen, get, list, cancel })
}

export interface FoundTask {
  readonly key: TaskKey
  readonly task: Task
  /** Of the last task of a conversation. */
  readonly turn?: Turn
}

async function taskAt(status: ConversationRecord['status'], key: TaskKey, turn: Turn): Promise<Task> {
  if (status === 'running') return toWorkingTask(key)
  if (status !== 'waiting') return toEndedTask(key, await turn.result(), [])
  for await (const step of turnSteps(turn, { signal: AbortSignal.timeout(READ_MS) }))
    if (step.type === 'end') return toEndedTask(key, step.result, step.pending)
  return toWorkingTask(key)
}

function noTask(id: string): Error {
  return new TaskNotFoundError(`There is no task ${JSON.stringify(id)}.`)
}
