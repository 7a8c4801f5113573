import type { Logger } from '@quire/kit/log'
import type { EditOptions, EditPlace, NotebookDocument, Place, Snapshot } from '../document/document.ts'
import type { Listener } from '../document/file-watch.ts'
import { quote } from '../document/json.ts'
import type { Notebook } from '../document/nbformat.ts'
import { ToolError } from '../tool-error.ts'
import { withSignal } from '../upstream/kernel/with-signal.ts'

export interface LateDocumentOptions {
  readonly path: string
  readonly choose: () => Promise<NotebookDocument>
  readonly logger: Logger
}

/** A notebook whose back end is chosen when it is first used. */
export function createLateDocument({ path, choose, logger }: LateDocumentOptions): NotebookDocument {
  const closing = new AbortController()
  let chosen: NotebookDocument | undefined
  let choosing: Promise<NotebookDocument> | undefined

  async function document(signal?: AbortSignal): Promise<NotebookDocument> {
    if (closing.signal.aborted) {
      throw new ToolError('not_found', `${quote(path)} was let go. Open it again with use_notebook.`)
    }
    if (chosen) return chosen
    choosing ??= choose().finally(() => {
      choosing = undefined
    })
    chosen ??= await withSignal(choosing, signal)
    return chosen
  }

  return Object.freeze({
    path,
    get backend() {
      return chosen?.backend ?? 'file'
    },
    get showRun() {
      return chosen?.showRun
    },
    read: async (signal?: AbortSignal) => (await document(signal)).read(signal),
    async edit<Result>(
      where: EditPlace,
      change: (draft: Notebook, place: Place) => Result,
      options: EditOptions = {},
    ) {
      return (await document(options.signal)).edit(where, change, options)
    },
    save: async (signal?: AbortSignal): Promise<Snapshot> => (await document(signal)).save(signal),
    watch(listener: Listener) {
      let stop: (() => void) | undefined
      let isWanted = true
      document(closing.signal).then(
        (found) => {
          if (isWanted) stop = found.watch(listener)
        },
        (error: unknown) => logger.debug({ err: error, path }, 'a notebook could not be watched'),
      )
      return () => {
        isWanted = false
        stop?.()
      }
    },
    async close() {
      closing.abort()
      await Promise.allSettled([choosing])
      await chosen?.close()
    },
  })
}
