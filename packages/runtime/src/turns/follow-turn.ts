import type { PlacedFrame } from './frame.ts'
import { createLayout } from './layout.ts'
import type { LiveTurn } from './live-turn.ts'
import { readStored, readStoredResult } from './stored-turn.ts'
import type { ItemCursor } from './turn-items.ts'
import type { TurnNews } from './turn-news.ts'
import type { TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'
import type { TurnResult } from './turns.ts'

/** News may be lost with the connection that brings them: whoever waits looks by himself now and then. */
const LOOK_AGAIN_MS = 2_000

export interface Following {
  readonly turns: TurnStore
  readonly news: TurnNews
  readonly key: TurnKey
  /** The turn in the memory of this process, where it runs here or has just run here. */
  live(): LiveTurn | undefined
}

export interface FollowOptions {
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** From memory as long as the turn is there, and from the store otherwise. The reader holds nothing but his place. */
export async function* followTurn(
  { turns, news, key, live }: Following,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<PlacedFrame, void> {
  const waiter = createWaiter(signal)
  let stopWatching: (() => void) | undefined
  let sent = after
  let source: LiveTurn | undefined
  let layout = createLayout(key.turnId, sent)
  let index = 0
  let cursor: ItemCursor | undefined

  const restart = (from: LiveTurn | undefined, place: string | undefined) => {
    source = from
    sent = place
    layout = createLayout(key.turnId, place)
    index = 0
    cursor = undefined
  }

  try {
    while (!signal?.aborted) {
      const current = live()
      if (current !== source) restart(current, sent)
      if (source === undefined) stopWatching ??= news.watch(key.turnId, waiter.wake)
      waiter.reset()
      const page =
        source === undefined ? await readStored(turns, key, layout, cursor) : source.read(layout, index)
      if (layout.isUnknown()) {
        restart(source, undefined)
        continue
      }
      if ('index' in page) index = page.index
      else cursor = page.cursor
      for (const frame of page.frames) {
        if (signal?.aborted) return
        sent = frame.id
        yield frame
      }
      if (page.isDone) return
      if (source === undefined) {
        if (!('isFull' in page && page.isFull)) await waiter.wait(LOOK_AGAIN_MS)
      } else if (page.frames.length === 0) await waiter.change(source)
    }
  } finally {
    stopWatching?.()
    waiter.close()
  }
}

/** How it ended, or that it waits for somebody. */
export async function awaitTurn({ turns, news, key, live }: Following): Promise<TurnResult> {
  const waiter = createWaiter(undefined)
  const stopWatching = news.watch(key.turnId, waiter.wake)
  try {
    for (;;) {
      const result = await live()?.ended
      if (result !== undefined) return result
      waiter.reset()
      const stored = await readStoredResult(turns, key)
      if (stored !== undefined) return stored
      await waiter.wait(LOOK_AGAIN_MS)
    }
  } finally {
    stopWatching()
    waiter.close()
  }
}

/** Waits for one change. What happens between `reset` and a wait ends the wait at once. */
function createWaiter(signal: AbortSignal | undefined) {
  let isWoken = false
  let resolve: (() => void) | undefined
  const wakeNow = () => {
    resolve?.()
    resolve = undefined
  }
  signal?.addEventListener('abort', wakeNow, { once: true })

  return Object.freeze({
    reset() {
      isWoken = false
    },
    wake() {
      isWoken = true
      wakeNow()
    },
    async wait(ms: number): Promise<void> {
      if (isWoken || signal?.aborted) return
      const timer = setTimeout(wakeNow, ms)
      await new Promise<void>((wake) => {
        resolve = wake
      })
      clearTimeout(timer)
    },
    async change(live: LiveTurn): Promise<void> {
      if (signal?.aborted) return
      const stop = live.onChange(wakeNow)
      await new Promise<void>((wake) => {
        resolve = wake
      })
      stop()
    },
    close() {
      signal?.removeEventListener('abort', wakeNow)
    },
  })
}
