import { NO_USAGE } from '@quire/agent/usage'
import { fromJson } from '@quire/kit/store/json'
import type { PlacedFrame } from './frame.ts'
import { createLayout, type Layout } from './layout.ts'
import { type ItemCursor, messagesIn, readAllItems, readItems, startOf } from './turn-items.ts'
import { toTurnResult } from './turn-result.ts'
import { errorOf, findTurn, type TurnRow, type TurnStore, usageOf } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'
import type { TurnResult } from './turns.ts'

export interface StoredPage {
  readonly frames: readonly PlacedFrame[]
  readonly cursor: ItemCursor
  /** Nothing more is to come while the turn stands as it does. */
  readonly isDone: boolean
  /** Read on at once. */
  readonly isFull: boolean
}

const REMOVED = Object.freeze({
  detail: 'The conversation was removed while it was read.',
  statusCode: 404,
})

/** Lays out what the store has of a turn behind the cursor, or from its beginning. */
export async function readStored(
  turns: TurnStore,
  key: TurnKey,
  layout: Layout,
  cursor: ItemCursor | undefined,
): Promise<StoredPage> {
  // First the turn and then its messages: a turn that is over has all of them.
  const row = await findTurn(turns, key.turnId)
  if (row === undefined) {
    // Its slots are gone with it: whatever the reader has had, he is told how it ended.
    const frames = createLayout(key.turnId, undefined).addEnd({ usage: NO_USAGE, error: REMOVED })
    return { frames, cursor: { number: 0, pause: 0 }, isDone: true, isFull: false }
  }
  const page = await readItems(turns, key, cursor ?? startOf(row))
  const frames = page.items.flatMap((item) => layout.add(item))
  if (page.isFull) return { frames, cursor: page.cursor, isDone: false, isFull: true }
  const ending = layOutEnding(row, page.cursor, layout)
  return { frames: [...frames, ...ending.frames], cursor: page.cursor, isDone: ending.isDone, isFull: false }
}

function layOutEnding(row: TurnRow, { number, pause }: ItemCursor, layout: Layout) {
  const ending = { usage: usageOf(row), error: errorOf(row) }
  if (row.state === 'running') {
    const isCurrent = row.partial !== null && row.partial_number > number
    const text = isCurrent && row.partial !== null ? fromJson<string>(row.partial) : ''
    return { frames: layout.addText((offset) => text.slice(offset)), isDone: false }
  }
  if (row.state !== 'waiting') return { frames: layout.addEnd(ending), isDone: true }
  // The row may be older than the messages: then the turn has gone on.
  return pause === number
    ? { frames: layout.addWait(ending), isDone: true }
    : { frames: layout.addText(() => ''), isDone: false }
}

/** Undefined while it is under way. A turn that was removed counts as cancelled. */
export async function readStoredResult(turns: TurnStore, key: TurnKey): Promise<TurnResult | undefined> {
  const row = await findTurn(turns, key.turnId)
  if (row === undefined)
    return toTurnResult([], {
      status: 'cancelled',
      usage: NO_USAGE,
      error: REMOVED,
    })
  if (row.state === 'running') return undefined
  const items = await readAllItems(turns, key, startOf(row))
  return toTurnResult(messagesIn(items), { status: row.state, usage: usageOf(row), error: errorOf(row) })
}
