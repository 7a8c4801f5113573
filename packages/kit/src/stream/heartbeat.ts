export type Heartbeat = Readonly<{
  /** Calls `beat` whenever an interval has passed since it was added, touched or called. */
  add(beat: () => void): Beating
  touch(beating: Beating): void
  remove(beating: Beating): void
  /** How many are being watched. */
  size(): number
}>

export type Beating = { readonly beat: () => void; seen: number }

/** Looks per interval: a beat comes at most one look late. */
const LOOKS = 15

/** One timer for any number of streams; it runs only while there are some, and never keeps the process alive. */
export function createHeartbeat({ intervalMs }: { intervalMs: number }): Heartbeat {
  const watched = new Set<Beating>()
  let timer: NodeJS.Timeout | undefined

  function add(beat: () => void): Beating {
    const beating = { beat, seen: performance.now() }
    watched.add(beating)
    timer ??= setInterval(look, Math.max(1, intervalMs / LOOKS)).unref()
    return beating
  }

  function look(): void {
    const now = performance.now()
    for (const beating of watched) {
      if (now - beating.seen < intervalMs) continue
      beating.seen = now
      beating.beat()
    }
  }

  function touch(beating: Beating): void {
    beating.seen = performance.now()
  }

  function remove(beating: Beating): void {
    watched.delete(beating)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return Object.freeze({ add, touch, remove, size: () => watched.size })
}
