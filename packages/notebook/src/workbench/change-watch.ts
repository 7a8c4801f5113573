import type { Logger } from '@quire/kit/log'
import type { ChangeNotifier } from '@quire/mcp/serving/change-notifier'
import type { Snapshot } from '../document/document.ts'
import { changedUris } from '../resources/changed-uris.ts'
import { formatNotebookUri } from '../resources/notebook-uri.ts'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import type { Workspace } from '../workspace/workspace.ts'

export interface ChangeWatch {
  tell(notifier: ChangeNotifier): void
  close(): void
}

const LOOK_EVERY_MS = 2_000

/** Watches the notebooks in use while a client waits for changes of resources, and tells which resources have changed. */
export function watchNotebooks(workspaces: () => readonly Workspace[], logger: Logger): ChangeWatch {
  const watched = new Map<ManagedNotebook, () => void>()
  let notifier: ChangeNotifier | undefined
  let names = ''
  const timer = setInterval(look, LOOK_EVERY_MS).unref()

  function look(): void {
    if (!notifier) return
    const all = workspaces().flatMap((workspace) => workspace.all())
    const inUse = new Set(notifier.isWatched() ? all : [])
    for (const [notebook, stop] of watched) {
      if (inUse.has(notebook)) continue
      stop()
      watched.delete(notebook)
    }
    for (const notebook of inUse) if (!watched.has(notebook)) watched.set(notebook, follow(notebook))
    tellNames(all.map(({ name }) => name).join('\n'))
  }

  function follow({ name, document }: ManagedNotebook): () => void {
    let before: Snapshot | undefined
    document.read().then(
      (snapshot) => {
        before ??= snapshot
      },
      (error: unknown) => logger.debug({ err: error, notebook: name }, 'a watched notebook cannot be read'),
    )
    return document.watch((after) => {
      // What changed before it was first looked at is told as a change of the whole.
      const uris =
        before && before.revision !== after.revision
          ? changedUris(name, before, after)
          : [formatNotebookUri({ kind: 'notebook', name })]
      before = after
      for (const uri of uris) notifier?.resourceUpdated(uri)
    })
  }

  function tellNames(next: string): void {
    if (next !== names) notifier?.resourcesChanged()
    names = next
  }

  return Object.freeze({
    tell(next: ChangeNotifier) {
      notifier = next
    },
    close() {
      clearInterval(timer)
      for (const stop of watched.values()) stop()
      watched.clear()
    },
  })
}
