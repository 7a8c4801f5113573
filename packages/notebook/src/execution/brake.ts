import { withSignal } from '../upstream/kernel/with-signal.ts'

export type Stop = 'timeout' | 'cancelled'

/** Stops one execution at its deadline or when its caller cancels: one interrupt, then a while for what still comes, then the end. */
export interface Brake {
  /** Aborts when nothing more is waited for. */
  readonly reading: AbortSignal
  /** Aborts when it is pulled: what was not sent by then is not to be sent any more. */
  readonly pulled: AbortSignal
  /** To be told when the kernel takes the code up: code that was sent before the brake was pulled is interrupted then. */
  started(): void
  /** Why it was pulled; undefined when it was not. */
  stopped(): Stop | undefined
  /** An interrupt that is under way is waited for, at most as long as the reading. */
  settled(): Promise<void>
  release(): void
}

export interface BrakeOptions {
  readonly timeoutMs: number
  readonly settleMs: number
  readonly signal: AbortSignal | undefined
  readonly interrupt: () => Promise<void>
  /** Before that, an interrupt would hit the code of somebody else. */
  readonly hasStarted: () => boolean
  readonly elapsedMs: () => number
  readonly note: (text: string) => void
}

/** A timer that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1

export function createBrake(options: BrakeOptions): Brake {
  const { timeoutMs, settleMs, signal, interrupt, hasStarted, elapsedMs, note } = options
  const reading = new AbortController()
  const pulled = new AbortController()
  let stopped: Stop | undefined
  let interrupting: Promise<void> | undefined
  let settling: NodeJS.Timeout | undefined

  const deadline = setTimeout(pull, Math.min(timeoutMs, LONGEST_MS), 'timeout')
  const cancel = () => pull('cancelled')
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()

  return Object.freeze({
    reading: reading.signal,
    pulled: pulled.signal,
    started() {
      if (stopped && !interrupting) interrupting = sendInterrupt()
    },
    stopped: () => stopped,
    async settled() {
      if (!interrupting || reading.signal.aborted) return
      try {
        await withSignal(interrupting, reading.signal)
      } catch {
        // Only the signal ends it so: the notes then tell of no interrupt.
      }
    },
    release() {
      clearTimeout(deadline)
      clearTimeout(settling)
      signal?.removeEventListener('abort', cancel)
    },
  })

  function pull(why: Stop): void {
    if (stopped) return
    stopped = why
    clearTimeout(deadline)
    const when = `[${why.toUpperCase()} at ${(elapsedMs() / 1000).toFixed(1)}s:`
    settling = setTimeout(() => reading.abort(), settleMs)
    if (hasStarted()) {
      note(`${when} Interrupting execution]`)
      interrupting = sendInterrupt()
    } else note(`${when} Execution had not started]`)
    pulled.abort()
  }

  async function sendInterrupt(): Promise<void> {
    try {
      await interrupt()
      note('[Sent interrupt signal to kernel]')
    } catch (error) {
      note(`[The interrupt could not be sent: ${error instanceof Error ? error.message : String(error)}]`)
    }
  }
}
