import { ToolError } from '../tool-error.ts'
import { quote } from './json.ts'

/** One task at a time for each path, first come first served. */
export interface PathLocks {
  /** A wait ends when the signal aborts, or after a while with `busy`. */
  run<Result>(path: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

const WAIT_MS = 60_000

export function createPathLocks({ waitMs = WAIT_MS }: { readonly waitMs?: number } = {}): PathLocks {
  /** By path who waits; a path that is not here is free. */
  const queues = new Map<string, Set<() => void>>()

  function acquire(path: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const queue = queues.get(path)
    if (!queue) {
      queues.set(path, new Set())
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      function leave(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        queue?.delete(enter)
      }
      function enter(): void {
        leave()
        resolve()
      }
      function abort(): void {
        leave()
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        leave()
        const text = `Other edits of ${quote(path)} have not finished within ${waitMs / 1000} seconds, so this one was not begun. Try again.`
        reject(new ToolError('busy', text))
      }, waitMs)
      signal?.addEventListener('abort', abort)
      queue.add(enter)
    })
  }

  function release(path: string): void {
    const [next] = queues.get(path) ?? []
    if (next) next()
    else queues.delete(path)
  }

  return Object.freeze({
    async run<Result>(path: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
      await acquire(path, signal)
      try {
        return await task()
      } finally {
        release(path)
      }
    },
  })
}
