import { textOf } from '@quire/agent/message'
import type { MessagePage, StoredMessage } from '../../conversations/conversation.ts'
import { fromAgent, idsOf, STATES, toAnswer } from './task.ts'
import type { TaskKey } from './task-id.ts'
import type { A2aMessage, Task } from './wire.ts'

/** The turns of a conversation with what was said in each, the oldest first, one at a time. */
export async function* byTurn(
  pages: AsyncIterable<MessagePage>,
): AsyncIterable<readonly [turnId: string, messages: readonly StoredMessage[]]> {
  let turn: StoredMessage[] = []
  for await (const { messages } of pages)
    for (const message of messages) {
      const [first] = turn
      if (first !== undefined && first.turnId !== message.turnId) {
        yield [first.turnId, turn]
        turn = []
      }
      turn.push(message)
    }
  const [first] = turn
  if (first !== undefined) yield [first.turnId, turn]
}

/** A turn that another has followed, as its messages tell it: whether one that did not come to its end was cancelled or failed, they do not know. */
export function toPastTask(key: TaskKey, messages: readonly StoredMessage[]): Task {
  const last = messages.at(-1)
  const isComplete = last?.message.role === 'assistant' && last.status === 'complete'
  const text = messages.map(({ message }) => (message.role === 'assistant' ? textOf(message) : '')).join('')
  return {
    ...idsOf(key),
    status: {
      state: isComplete ? STATES.complete : STATES.failed,
      ...(!isComplete && { message: fromAgent(key, `${key.turnId}.status`, [{ text: CUT_OFF }]) }),
      ...(last && { timestamp: last.createdAt }),
    },
    ...(text !== '' && { artifacts: [toAnswer(text)] }),
  }
}

const CUT_OFF = 'It was cancelled, or failed, before its answer was complete.'

/** The most recent ones; what tools answered stays with the agent. */
export function toHistory(
  key: TaskKey,
  messages: readonly StoredMessage[],
  most: number,
): readonly A2aMessage[] {
  const { id: taskId, contextId } = idsOf(key)
  const history = messages.flatMap(({ id, message }): A2aMessage[] => {
    const text = message.role === 'user' ? message.text : message.role === 'assistant' ? textOf(message) : ''
    const role = message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT'
    return text === '' ? [] : [{ messageId: id, contextId, taskId, role, parts: [{ text }] }]
  })
  return most === 0 ? [] : history.slice(-most)
}
