import { type Message, type ToolCall, type ToolCallPart, toolCallsOf } from '@quire/agent/message'
import { fromJson } from '@quire/kit/store/json'
import { isFullPage, lastOfPage } from '../conversations/message-pages.ts'
import type { TurnItem } from './layout.ts'
import { messageOf, type TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'

/** How much of a turn's journal was read: up to this message, and up to the pause after that one. */
export interface ItemCursor {
  readonly number: number
  readonly pause: number
}

export interface ItemPage {
  readonly items: readonly TurnItem[]
  readonly cursor: ItemCursor
  /** There may be more. */
  readonly isFull: boolean
}

export function startOf({ first_number }: { readonly first_number: number }): ItemCursor {
  return { number: first_number, pause: 0 }
}

/** What a turn has stored after the cursor: messages, and the pauses between them. */
export async function readItems(
  { store }: TurnStore,
  { turnId, conversationId }: TurnKey,
  cursor: ItemCursor,
): Promise<ItemPage> {
  const rows = await store.db
    .selectFrom('runtime_message')
    .select(['number', 'message', 'status', 'turn_id'])
    .where('conversation_id', '=', conversationId)
    .where('number', '>', cursor.number)
    .where('number', '<=', lastOfPage({ conversationId, after: cursor.number }))
    .orderBy('number')
    .execute()
  const own = rows.filter((row) => row.turn_id === turnId)
  const pauses = await readPauses(store, turnId)
  const items: TurnItem[] = []
  let { number, pause } = cursor
  const takePause = () => {
    const calls = pauses.get(number)
    if (calls === undefined || pause >= number) return
    items.push({ type: 'pause', calls })
    pause = number
  }
  takePause()
  for (const row of own) {
    items.push({ type: 'message', message: messageOf(row), status: row.status })
    number = row.number
    takePause()
  }
  return { items, cursor: { number, pause }, isFull: isFullPage(rows) && own.length === rows.length }
}

/** All of it: for the one who goes on with the turn. */
export async function readAllItems(turns: TurnStore, key: TurnKey, start: ItemCursor): Promise<TurnItem[]> {
  const all: TurnItem[] = []
  let cursor = start
  for (;;) {
    const page = await readItems(turns, key, cursor)
    all.push(...page.items)
    if (!page.isFull) return all
    cursor = page.cursor
  }
}

export function messagesIn(items: readonly TurnItem[]): Message[] {
  return items.flatMap((item) => (item.type === 'message' ? [item.message] : []))
}

/** The calls that nobody has answered yet. */
export function unansweredIn(messages: readonly Message[]): ToolCallPart[] {
  const open = new Map<string, ToolCallPart>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of toolCallsOf(message)) open.set(call.id, call)
    if (message.role === 'tool') open.delete(message.callId)
  }
  return [...open.values()]
}

/** The calls of each pause, by the number of the message before it. */
async function readPauses(store: TurnStore['store'], turnId: string): Promise<Map<number, ToolCall[]>> {
  const rows = await store.db
    .selectFrom('runtime_approval')
    .select(['after_number', 'call'])
    .where('turn_id', '=', turnId)
    .orderBy('after_number')
    .orderBy('ordinal')
    .execute()
  const pauses = new Map<number, ToolCall[]>()
  for (const { after_number, call } of rows)
    pauses.set(after_number, [...(pauses.get(after_number) ?? []), fromJson<ToolCall>(call)])
  return pauses
}
