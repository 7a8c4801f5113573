import { type Message, type ToolCall, textOf } from '@quire/agent/message'
import type { PlacedFrame } from './frame.ts'
import { createGrowingText } from './growing-text.ts'
import type { Layout, TurnItem } from './layout.ts'
import { type Outcome, toTurnResult } from './turn-result.ts'
import type { TurnResult } from './turns.ts'

/** A turn that is over is read from the store by those who are late, unless it is short. */
const KEPT_ITEMS = 32

/** A reader takes them one after the other: what he has not got to yet need not be laid out. */
const FRAMES_AT_ONCE = 64

export type LiveTurn = ReturnType<typeof createLiveTurn>

/**
 * A turn that this process runs, as its readers see it: what is stored, and the text of the step under way. The messages are those that the run itself
 * holds; nothing is kept for a single reader but his place.
 */
export function createLiveTurn(turnId: string, before: readonly TurnItem[]) {
  let items: TurnItem[] | undefined = [...before]
  const text = createGrowingText()
  const readers = new Set<() => void>()
  const ended = Promise.withResolvers<TurnResult | undefined>()
  let outcome: Outcome | undefined
  let isOver = false

  function wakeAll(): void {
    for (const wake of readers) wake()
    readers.clear()
  }

  return Object.freeze({
    turnId,
    text,
    /** False when it is to be read from the store: it was lost to another process, or it is over and was long. */
    isReadable: () => items !== undefined,
    isOver: () => isOver,
    /** Its result; undefined when it has to be read from the store. */
    ended: ended.promise,

    say(fragment: string): void {
      text.append(fragment)
      if (readers.size > 0) wakeAll()
    },
    /** What was stored just now. */
    put(message: Message, status: 'complete' | 'partial'): void {
      if (message.role === 'assistant') text.clear()
      const said = message.role === 'assistant' ? textOf(message) : ''
      items?.push({ type: 'message', message, status, text: said })
      wakeAll()
    },
    end(how: Outcome, pending: readonly ToolCall[] = []): void {
      if (items === undefined) return
      if (pending.length > 0) items.push({ type: 'pause', calls: pending })
      outcome = how
      isOver = true
      ended.resolve(toTurnResult(messagesOf(items), how))
      // A turn that waits may be gone on with elsewhere: the store knows.
      if (items.length > KEPT_ITEMS || how.status === 'waiting') items = undefined
      wakeAll()
    },
    /** Another process has decided how it ended. */
    lose(): void {
      items = undefined
      isOver = true
      ended.resolve(undefined)
      wakeAll()
    },

    /** Lays out what is new, or some of it; `index` counts the items that the layout has had. */
    read(layout: Layout, index: number): { frames: PlacedFrame[]; index: number; isDone: boolean } {
      const all = items ?? []
      const frames: PlacedFrame[] = []
      let next = index
      for (const item of index < all.length ? all.slice(index) : []) {
        if (frames.length >= FRAMES_AT_ONCE) return { frames, index: next, isDone: false }
        frames.push(...layout.add(item))
        next += 1
      }
      if (outcome === undefined) frames.push(...layout.addText(text.after))
      else frames.push(...layout.addEnd(outcome))
      return { frames, index: next, isDone: outcome !== undefined }
    },
    /** Calls back once, at the next change. Returns the function that ends it. */
    onChange(wake: () => void): () => void {
      readers.add(wake)
      return () => void readers.delete(wake)
    },
  })
}

function messagesOf(items: readonly TurnItem[]): Message[] {
  return items.flatMap((item) => (item.type === 'message' ? [item.message] : []))
}
