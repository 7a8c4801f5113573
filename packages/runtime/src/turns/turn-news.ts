import type { RuntimeStore } from '../conversations/tables.ts'
import { CANCEL_PREFIX, TURN_CHANNEL } from './turn-store.ts'

export interface TurnNewsOptions {
  readonly store: RuntimeStore
  /** Somebody wants a turn cancelled; undefined: perhaps somebody does. */
  onCancel(turnId: string | undefined): void
}

export type TurnNews = ReturnType<typeof createTurnNews>

/** What other processes write about turns, for those here who follow one. */
export function createTurnNews({ store, onCancel }: TurnNewsOptions) {
  const watchers = new Map<string, Set<() => void>>()

  function wake(turnId: string): void {
    for (const watcher of watchers.get(turnId) ?? []) watcher()
  }

  const stop = store.listen(TURN_CHANNEL, (payload) => {
    if (payload === null) {
      for (const turnId of watchers.keys()) wake(turnId)
      onCancel(undefined)
    } else if (payload.startsWith(CANCEL_PREFIX)) onCancel(payload.slice(CANCEL_PREFIX.length))
    else wake(payload)
  })

  return Object.freeze({
    /** Calls back at every change. Returns the function that ends it. */
    watch(turnId: string, onChange: () => void): () => void {
      const group = watchers.get(turnId) ?? new Set()
      watchers.set(turnId, group.add(onChange))
      return () => {
        group.delete(onChange)
        if (group.size === 0 && watchers.get(turnId) === group) watchers.delete(turnId)
      }
    },
    close: stop,
  })
}
