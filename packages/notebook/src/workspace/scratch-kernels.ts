import type { Hooks } from '../hooks/hooks.ts'
import { ToolError } from '../tool-error.ts'
import type { Servers } from '../workbench/servers.ts'
import { createNotebookKernel } from './create-notebook-kernel.ts'
import type { NotebookKernel, ReadyKernel } from './notebook-kernel.ts'

/** The kernels of one caller for code that belongs to no notebook: one for each thread, so that none sees what another computes, or waits for it. */
export interface ScratchKernels {
  /** The kernel stays at least until the work is done. */
  use<Result>(use: ScratchUse, work: (kernel: ReadyKernel) => Promise<Result>): Promise<Result>
  isEmpty(): boolean
  /** Lets all of them go, whatever fails on the way. */
  clear(): Promise<void>
}

export interface ScratchUse {
  /** Undefined: the client's own calls, which name none. */
  readonly thread: string | undefined
  readonly servers: Servers
  readonly hooks: Hooks
  readonly signal?: AbortSignal
}

interface Entry {
  readonly kernel: NotebookKernel
  isKept: boolean
  users: number
}

/** Threads end without a word: past this many those that were used longest ago make room, unless they are in use. */
const MOST_KEPT = 4
const MOST_IN_USE = 16
const MOST_REMEMBERED = 1000

export function createScratchKernels(): ScratchKernels {
  /** The one used last is the last. */
  const entries = new Map<string | undefined, Entry>()

  /** Answers the kernels that have to go for one more. */
  function makeRoom(): NotebookKernel[] {
    const kept = [...entries.values()].filter((entry) => entry.isKept)
    const unused = kept.filter(({ users }) => users === 0)
    if (kept.length - unused.length >= MOST_IN_USE)
      throw new ToolError(
        'conflict',
        `${MOST_IN_USE} kernels run code that belongs to no notebook. Wait until one is done, or open a notebook with use_notebook: each has a kernel of its own.`,
      )
    const leaving = unused.slice(0, Math.max(0, kept.length + 1 - MOST_KEPT))
    for (const entry of leaving) entry.isKept = false
    return leaving.map(({ kernel }) => kernel)
  }

  function forgetOldest(): void {
    for (const [thread, { isKept }] of entries)
      if (entries.size > MOST_REMEMBERED && !isKept) entries.delete(thread)
  }

  return Object.freeze({
    async use<Result>(
      { thread, servers, hooks, signal }: ScratchUse,
      work: (kernel: ReadyKernel) => Promise<Result>,
    ) {
      const known = entries.get(thread)
      const leaving = known?.isKept ? [] : makeRoom()
      const kernel = known?.kernel ?? createNotebookKernel({ servers, hooks })
      const entry = known ?? { kernel, isKept: true, users: 0 }
      entry.isKept = true
      entry.users += 1
      entries.delete(thread)
      entries.set(thread, entry)
      forgetOldest()
      try {
        await Promise.all(leaving.map((one) => one.cull()))
        return await work(await kernel.ready(signal))
      } finally {
        entry.users -= 1
      }
    },
    isEmpty: () => entries.size === 0,
    async clear() {
      const all = [...entries.values()]
      entries.clear()
      await Promise.allSettled(all.map(({ kernel }) => kernel.release()))
    },
  })
}
