import { readSync } from 'node:fs'
import { Socket } from 'node:net'
import { INTERRUPTS_FD } from './frame.mts'

const SIGINT = 2
const LOOK_EVERY = 16
const READ_EVERY_MS = 20

export interface Interrupts {
  /** What pyodide looks at between Python's instructions, in place of a shared buffer that another thread would write. */
  readonly buffer: { 0: number }
  /** Sleeps for a moment, without the event loop, and tells whether the code is interrupted. */
  rest(milliseconds: number): boolean
  /** Only code of a notebook is interrupted, never the kernel's own. */
  allow(allowed: boolean): void
  /** An interrupt that came too late for one request is not for the next. */
  forget(): void
}

export interface InterruptOptions {
  /** Python runs, and some time has passed. */
  readonly onTick: (now: number) => void
  /** The running code waits for something: the event loop heard the interrupt. True where it was ended by that. */
  readonly onWaiting: () => boolean
  /** The code was interrupted; what it makes of it is its own business. */
  readonly onTaken: () => void
}

/** The host writes a byte into a pipe; whoever has the processor reads it: the event loop, or Python's own loop through `buffer`. No thread is needed. */
export function createInterrupts({ onTick, onWaiting, onTaken }: InterruptOptions): Interrupts {
  // The socket makes the descriptor non-blocking, which `readSync` relies on.
  const pipe = new Socket({ fd: INTERRUPTS_FD, readable: true, writable: false })
  const bytes = Buffer.allocUnsafe(64)
  const restful = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let allowed = false
  let pending = false
  let looks = 0
  let lastRead = 0
  pipe.on('data', () => {
    const running = allowed
    // The question itself is asked of Python.
    allowed = false
    if (onWaiting()) take()
    else pending = true
    allowed = running
  })
  pipe.on('error', () => process.exit(1))
  pipe.on('end', () => process.exit(0))

  function look(): number {
    looks += 1
    if (looks % LOOK_EVERY !== 0 && !pending) return 0
    return lookNow() ? SIGINT : 0
  }

  function lookNow(): boolean {
    const now = performance.now()
    if (now - lastRead >= READ_EVERY_MS) {
      lastRead = now
      onTick(now)
      pending ||= hasByte()
    }
    if (!pending || !allowed) return false
    take()
    return true
  }

  function take(): void {
    pending = false
    onTaken()
  }

  function hasByte(): boolean {
    try {
      if (readSync(INTERRUPTS_FD, bytes) > 0) return true
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false
    }
    // The host is gone.
    return process.exit(0)
  }

  return Object.freeze({
    buffer: Object.freeze({
      get 0() {
        return look()
      },
      // Python clears what it has taken.
      set 0(_taken: number) {},
    }),
    rest(milliseconds: number): boolean {
      Atomics.wait(restful, 0, 0, milliseconds)
      return lookNow()
    },
    allow(value: boolean): void {
      allowed = value
    },
    forget(): void {
      while (hasByte());
      pending = false
    },
  })
}
