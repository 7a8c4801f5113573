import { toUsage } from '../../routes/conversation-view.ts'
import type { Run } from '../run.ts'
import type { TurnStep } from '../turn-steps.ts'
import { idsOf, toAnswer, toStatus } from './task.ts'
import type { TaskKey } from './task-id.ts'
import type { StreamResponse, Task } from './wire.ts'

export interface PlacedResponse {
  readonly response: StreamResponse
  readonly place?: string | undefined
}

/** The task as it stands, what the agent says, and how it ends. Which tools it uses is its own affair. */
export async function* toResponses(
  steps: AsyncIterable<TurnStep>,
  key: TaskKey,
  task: Task,
): AsyncGenerator<PlacedResponse> {
  const { id: taskId, contextId } = idsOf(key)
  let append = task.artifacts !== undefined
  yield { response: { task } }
  for await (const step of steps)
    if (step.type === 'text') {
      const artifact = toAnswer(step.text)
      yield { response: { artifactUpdate: { taskId, contextId, artifact, append } }, place: step.place }
      append = true
    } else if (step.type === 'end') {
      const status = toStatus(key, step.result, step.pending)
      const metadata = { usage: toUsage(step.result.usage) }
      yield { response: { statusUpdate: { taskId, contextId, status, metadata } }, place: step.place }
    }
}

export function keyOf({ turn }: Pick<Run, 'turn'>): TaskKey {
  return { conversationId: turn.conversationId, turnId: turn.id }
}
