const HIDDEN_MS = 250
/** Faster than people read, and time enough between for scrolling and typing. */
const LEAST_MS = 50

/** Tells its listeners with a frame of the screen, and not more often than it can be seen, however often there is something new. */
export function createPainter() {
  const listeners = new Set<() => void>()
  let cancel: (() => void) | undefined
  let toldAt = Number.NEGATIVE_INFINITY

  function tell(): void {
    cancel = undefined
    toldAt = performance.now()
    for (const listener of listeners) listener()
  }

  return Object.freeze({
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    paint(): void {
      cancel ??= soon(tell, toldAt + LEAST_MS - performance.now())
    },
    stop(): void {
      cancel?.()
      cancel = undefined
    },
  })
}

/** After `ms`, with the next frame. A tab that nobody sees has no frames. */
function soon(work: () => void, ms: number): () => void {
  let frame = 0
  const timer = setTimeout(
    () => {
      if (document.hidden) work()
      else frame = requestAnimationFrame(work)
    },
    document.hidden ? HIDDEN_MS : Math.max(ms, 0),
  )
  return () => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}
