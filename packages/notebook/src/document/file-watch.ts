import type { Logger } from '@quire/kit/log'
import { type FileVersion, isSameVersion } from './contents-port.ts'
import type { Snapshot } from './document.ts'

const POLL_MS = 2_000
const SETTLE_MS = 100
const LOOK_TIMEOUT_MS = 30_000

/** Calls back once after so many milliseconds and keeps no process alive for it. The function returned calls it off. */
export type After = (ms: number, callback: () => void) => () => void

export const systemAfter: After = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

export type Listener = (snapshot: Snapshot) => void

/** Tells listeners when a file has changed. It looks only while somebody listens. */
export interface FileWatch {
  add(listener: Listener): () => void
  /** What was read or written just now. A state that is new is told. */
  saw(snapshot: Snapshot, version: FileVersion): void
  close(): void
}

export interface FileWatchOptions {
  readonly path: string
  /** The version alone. */
  readonly look: (signal: AbortSignal) => Promise<FileVersion>
  /** Reads the notebook, which is then seen. */
  readonly read: (signal: AbortSignal) => Promise<unknown>
  readonly logger: Logger
  readonly after: After
}

export function createFileWatch({ path, look, read, logger, after }: FileWatchOptions): FileWatch {
  const listeners = new Set<Listener>()
  const closing = new AbortController()
  let known: FileVersion | undefined
  let isLooking = false
  let cancelLook: (() => void) | undefined
  let untold: Snapshot | undefined
  let cancelTelling: (() => void) | undefined

  async function lookForChanges(): Promise<void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)])
    try {
      const version = await look(signal)
      if (known === undefined) known = version
      else if (!isSameVersion(version, known)) await read(signal)
    } catch (error) {
      // It may be back at the next look: a server that restarts, a file that an editor replaces.
      if (!closing.signal.aborted)
        logger.debug({ err: error, path }, 'looking for changes of a notebook failed')
    }
  }

  function lookAfter(ms: number): void {
    cancelLook?.()
    cancelLook = after(ms, async () => {
      isLooking = true
      await lookForChanges()
      isLooking = false
      if (listeners.size > 0) lookAfter(POLL_MS)
    })
  }

  function tell(): void {
    cancelTelling = undefined
    const snapshot = untold
    untold = undefined
    if (!snapshot) return
    for (const listener of listeners) {
      try {
        listener(snapshot)
      } catch (error) {
        logger.warn({ err: error, path }, 'a listener to changes of a notebook failed')
      }
    }
  }

  function stop(): void {
    cancelLook?.()
    cancelTelling?.()
    cancelTelling = undefined
    untold = undefined
  }

  return Object.freeze({
    add(listener: Listener) {
      if (closing.signal.aborted) return () => undefined
      listeners.add(listener)
      if (listeners.size === 1 && !isLooking) lookAfter(known === undefined ? 0 : POLL_MS)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop()
      }
    },
    saw(snapshot: Snapshot, version: FileVersion) {
      const isNews = known !== undefined && !isSameVersion(known, version)
      known = version
      if (!isNews || listeners.size === 0) return
      untold = snapshot
      cancelTelling ??= after(SETTLE_MS, tell)
    },
    close() {
      closing.abort()
      listeners.clear()
      stop()
    },
  })
}
