import { ConversationId } from '../../contract.ts'

/** Of a task, which is a turn of a conversation. */
export interface TaskKey {
  readonly conversationId: string
  readonly turnId: string
}

/** In no id of a conversation. A task's id says where its turn is kept, so that no second store has to. */
const SEPARATOR = '~'
const LONGEST_TURN_ID = 200

export function toTaskId({ conversationId, turnId }: TaskKey): string {
  return `${conversationId}${SEPARATOR}${turnId}`
}

/** Undefined for whatever is no id of a task. */
export function parseTaskId(id: string): TaskKey | undefined {
  const at = id.indexOf(SEPARATOR)
  const conversationId = id.slice(0, Math.max(at, 0))
  const turnId = id.slice(at + 1)
  return ConversationId.safeParse(conversationId).success && turnId !== '' && turnId.length <= LONGEST_TURN_ID
    ? { conversationId, turnId }
    : undefined
}
