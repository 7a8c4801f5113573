import type { Logger } from '@quire/kit/log'
import type { EditOptions, EditPlace, NotebookDocument, Place, Snapshot } from '../document/document.ts'
import type { Listener } from '../document/file-watch.ts'
import type { Notebook } from '../document/nbformat.ts'

export interface FollowingDocumentOptions {
  readonly file: NotebookDocument
  /** Asked each time. */
  readonly isLive: () => boolean
  readonly openLive: () => NotebookDocument
  readonly logger: Logger
}

const LAST_SAVE_MS = 5_000

/** A notebook that is worked on in its room while somebody has it open, and in its file otherwise. */
export function createFollowingDocument(options: FollowingDocumentOptions): NotebookDocument {
  const { file, isLive, openLive, logger } = options
  let live: NotebookDocument | undefined
  let isClosed = false

  function current(): NotebookDocument {
    if (isClosed || !isLive()) return file
    live ??= openLive()
    return live
  }

  /** Whoever closes a notebook may be about to rename or delete its file. */
  async function saveLast(): Promise<void> {
    try {
      await current().save(AbortSignal.timeout(LAST_SAVE_MS))
    } catch (error) {
      logger.debug({ err: error, path: file.path }, 'a notebook could not be saved as it was let go')
    }
  }

  return Object.freeze({
    path: file.path,
    get backend() {
      return current().backend
    },
    get showRun() {
      return current().showRun
    },
    read: (signal?: AbortSignal) => current().read(signal),
    edit<Result>(
      where: EditPlace,
      change: (draft: Notebook, place: Place) => Result,
      editOptions: EditOptions = {},
    ) {
      return current().edit(where, change, editOptions)
    },
    save: (signal?: AbortSignal): Promise<Snapshot> => current().save(signal),
    // The room writes the file about a second after each edit: to watch the file is to hear of both.
    watch: (listener: Listener) => file.watch(listener),
    async close() {
      if (isLive()) await saveLast()
      isClosed = true
      await Promise.all([file.close(), live?.close()])
    },
  })
}
