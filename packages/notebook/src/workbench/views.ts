import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { createView, type View } from '../workspace/view.ts'
import { createWorkspace, type Workspace } from '../workspace/workspace.ts'

/** The workspaces of all callers, and the views on them. */
export interface Views {
  /** With a current notebook of its own. */
  forSession(owner: string): View
  /** One for all requests of a caller that has no sessions. */
  forCaller(owner: string): View
  /** With a current notebook of its own, over all requests and sessions of the caller that name the thread. */
  forThread(owner: string, thread: string): View
  all(): readonly Workspace[]
  /** Lets every notebook of every caller go. */
  clear(): Promise<void>
}

/** Callers past this many are forgotten once they have let everything go. */
const MOST_IDLE = 1000
/** Of one caller. The one that was used longest ago is forgotten: it has to say again which notebook it means. */
const MOST_THREADS = 1000

/** `openFirst` gives each caller the notebook that is open from the start. */
export function createViews(openFirst: () => ManagedNotebook | undefined): Views {
  const workspaces = new Map<string, Workspace>()
  const shared = new Map<string, View>()
  const threads = new Map<string, Map<string, View>>()

  function workspaceOf(owner: string): Workspace {
    const known = workspaces.get(owner)
    if (known) return known
    if (workspaces.size >= MOST_IDLE) forgetEmpty()
    const workspace = createWorkspace(owner)
    workspaces.set(owner, workspace)
    const first = openFirst()
    if (first) workspace.put(first)
    return workspace
  }

  /** Views ask for their workspace each time, so that a caller who comes back gets a new one. */
  function forgetEmpty(): void {
    for (const [owner, workspace] of workspaces) {
      if (!workspace.isEmpty()) continue
      workspaces.delete(owner)
      shared.delete(owner)
      threads.delete(owner)
    }
  }

  return Object.freeze({
    // The workspace is asked for each time, because all of them are new after a change of servers.
    forSession: (owner: string) => createView(() => workspaceOf(owner), true),
    forCaller(owner: string) {
      const view = shared.get(owner) ?? createView(() => workspaceOf(owner), false)
      shared.set(owner, view)
      return view
    },
    forThread(owner: string, thread: string) {
      const known = threads.get(owner) ?? new Map<string, View>()
      threads.set(owner, known)
      const view = known.get(thread) ?? createView(() => workspaceOf(owner), true, thread)
      known.delete(thread)
      known.set(thread, view)
      const [oldest] = known.keys()
      if (known.size > MOST_THREADS && oldest !== undefined) known.delete(oldest)
      return view
    },
    all: () => [...workspaces.values()],
    async clear() {
      const all = [...workspaces.values()]
      workspaces.clear()
      shared.clear()
      threads.clear()
      await Promise.all(all.map((workspace) => workspace.clear()))
    },
  })
}
