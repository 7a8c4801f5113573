import { ToolFailed } from '../../services/notebook-tools.ts'
import { toolNameOf } from '../notebook-path.ts'
import type { ToolSession } from '../tool-session.ts'

export interface RunnerState {
  readonly running: string | undefined
  /** Ids of cells, in their order. */
  readonly queue: readonly string[]
  /** Why a cell could not be run, or what it brought could not be kept. */
  readonly faults: ReadonlyMap<string, string>
}

/** Runs cells of one notebook, one after the other. What they bring comes through the room. */
export interface Runner {
  getState(): RunnerState
  subscribe(listener: () => void): () => void
  run(ids: readonly string[]): void
  /** What runs is stopped, and what waits does not begin. */
  interrupt(): Promise<void>
  restart(): Promise<void>
  /** What waits does not begin. */
  cancel(): void
}

export interface RunnerOptions {
  readonly path: string
  /** The text of a cell as it is here; undefined where there is no such cell any more. */
  readonly sourceOf: (id: string) => string | undefined
  readonly confirm: () => Promise<void>
  readonly tools: ToolSession
}

/** What is longer than the service allows counts as what it allows. */
const LONGEST_SECONDS = 86_400
const LOOKS = 20
const LOOK_EVERY_MS = 100

interface Execution {
  readonly status: string
  readonly written: boolean
}

export function createRunner({ path, sourceOf, confirm, tools }: RunnerOptions): Runner {
  const notebook_name = toolNameOf(path)
  const listeners = new Set<() => void>()
  let stop = new AbortController()
  let state: RunnerState = { running: undefined, queue: [], faults: new Map() }

  function change(fields: Partial<RunnerState>): void {
    state = { ...state, ...fields }
    for (const listener of listeners) listener()
  }

  function withFault(id: string, fault: string | undefined): ReadonlyMap<string, string> {
    const faults = new Map(state.faults)
    if (fault === undefined) faults.delete(id)
    else faults.set(id, fault)
    return faults
  }

  async function goOn(): Promise<void> {
    if (state.running !== undefined) return
    for (let [id] = state.queue; id !== undefined; [id] = state.queue) {
      stop = new AbortController()
      change({ running: id, queue: state.queue.slice(1), faults: withFault(id, undefined) })
      try {
        const { status } = await execute(id)
        if (status !== 'ok') change({ queue: [] })
      } catch (error) {
        change({ queue: [], faults: withFault(id, stop.signal.aborted ? undefined : toFault(error)) })
      } finally {
        change({ running: undefined })
      }
    }
  }

  async function execute(id: string): Promise<Execution> {
    await confirm()
    await use()
    await waitUntilThere(id)
    return tools.call<Execution>(
      'execute_cell',
      {
        notebook_name,
        cell_id: id,
        timeout: LONGEST_SECONDS,
        stream: false,
        progress_interval: 0,
      },
      stop.signal,
    )
  }

  async function use(): Promise<void> {
    await tools.call('use_notebook', { notebook_name, notebook_path: path })
  }

  /** The service runs a cell only as it was last seen, and hears of edits by another way than this call takes. */
  async function waitUntilThere(id: string): Promise<void> {
    for (let look = 0; look < LOOKS; look += 1) {
      const seen = await readCell(id)
      if (seen !== undefined && (seen.truncated || seen.source === sourceOf(id))) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    throw new Error('The notebook’s server has another text of this cell than this page. Try again.')
  }

  async function readCell(id: string) {
    try {
      return await tools.call<{ readonly source: string; readonly truncated: boolean }>('read_cell', {
        notebook_name,
        cell_id: id,
        include_outputs: false,
      })
    } catch (error) {
      if (error instanceof ToolFailed && error.code === 'not_found' && sourceOf(id) !== undefined)
        return undefined
      throw error
    }
  }

  return Object.freeze({
    getState: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    run(ids: readonly string[]) {
      const known = new Set([...state.queue, state.running])
      change({ queue: [...state.queue, ...ids.filter((id) => !known.has(id))] })
      void goOn()
    },
    async interrupt() {
      change({ queue: [] })
      await use()
      const { state_before } = await tools.call<{ readonly state_before: string }>('interrupt_kernel', {
        notebook_name,
      })
      // What the kernel has not begun yet it cannot be interrupted in: then it is not to begin.
      if (state_before !== 'busy') stop.abort()
    },
    async restart() {
      change({ queue: [], faults: new Map() })
      await use()
      await tools.call('restart_notebook', { notebook_name })
    },
    cancel: () => change({ queue: [] }),
  })
}

/** What a run that failed brought is in the cell already; why it failed is in the notes. */
function toFault(error: unknown): string {
  if (error instanceof ToolFailed && error.notes.length > 0) return error.notes.join('\n')
  return error instanceof Error ? error.message : String(error)
}
