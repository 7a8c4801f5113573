/** The part of a Node response that tells when it has ended. */
export interface Answer {
  readonly closed: boolean
  once(event: 'close', listener: () => void): unknown
}

export interface CallsInFlight {
  /** Counts the request with this body until it is answered, if it is a tool call. */
  track(body: string, answer: Answer): void
  /** Resolves when every tool call has its answer, and after `graceMs` at the latest. */
  settled(graceMs: number): Promise<void>
}

/** Other messages are answered at once, or are streams that never end by themselves. */
const TOOL_CALL = /"method"\s*:\s*"tools\/call"/

/** The tool calls that are being answered, so that a server that stops can let them finish. */
export function createCallsInFlight(): CallsInFlight {
  let count = 0
  const waiting = new Set<() => void>()

  function finish(): void {
    count -= 1
    if (count === 0) for (const resolve of waiting) resolve()
  }

  return Object.freeze({
    track(body: string, answer: Answer) {
      if (answer.closed || !TOOL_CALL.test(body)) return
      count += 1
      answer.once('close', finish)
    },
    async settled(graceMs: number) {
      if (count === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, graceMs)
      waiting.add(resolve)
      await promise
      waiting.delete(resolve)
      clearTimeout(timer)
    },
  })
}
