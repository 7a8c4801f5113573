import type { GatewayChange } from './gateway.ts'

export type ListedKind = Exclude<GatewayChange['type'], 'resource'>

/** Tells fronts what has changed; a burst of changes of one list is told once. */
export interface Changes {
  onChange(listener: (change: GatewayChange) => void): () => void
  listChanged(kind: ListedKind): void
  resourceUpdated(uri: string): void
  close(): void
}

const BURST_MS = 50

export function createChanges(): Changes {
  const listeners = new Set<(change: GatewayChange) => void>()
  const waiting = new Map<ListedKind, NodeJS.Timeout>()

  function tell(change: GatewayChange): void {
    for (const listener of listeners) listener(change)
  }

  return Object.freeze({
    onChange(listener) {
      // Its own function, so that one listener may be there twice and each goes by itself.
      const own = (change: GatewayChange) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    listChanged(type) {
      if (waiting.has(type)) return
      const timer = setTimeout(() => {
        waiting.delete(type)
        tell({ type })
      }, BURST_MS)
      waiting.set(type, timer.unref())
    },
    resourceUpdated: (uri) => tell({ type: 'resource', uri }),
    close() {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      listeners.clear()
    },
  } satisfies Changes)
}
