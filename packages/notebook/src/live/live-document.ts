import type { Logger } from '@quire/kit/log'
import type { ContentsPort } from '../document/contents-port.ts'
import type { EditOptions, EditPlace, NotebookDocument, Place, Snapshot } from '../document/document.ts'
import { type After, type Listener, systemAfter } from '../document/file-watch.ts'
import { quote } from '../document/json.ts'
import type { Notebook } from '../document/nbformat.ts'
import { ToolError } from '../tool-error.ts'
import { editRoom } from './edit-room.ts'
import { createLiveWatch } from './live-watch.ts'
import type { Rooms } from './rooms.ts'
import { saveRoom } from './save-room.ts'
import { createShownRun } from './shown-run.ts'

export interface LiveDocumentOptions {
  readonly path: string
  readonly rooms: Rooms
  readonly contents: ContentsPort
  readonly logger: Logger
  readonly after?: After
}

/** A notebook that others have open at the same time: each edit goes into the live document and is seen there at once. */
export function createLiveDocument(options: LiveDocumentOptions): NotebookDocument {
  const { path, rooms, contents, logger, after = systemAfter } = options
  const { keeper, release } = rooms.take(path)
  const watch = createLiveWatch({ path, keeper, logger, after })
  const running = new Set<Promise<unknown>>()
  let isClosed = false
  let isUnsaved = false

  async function read(signal?: AbortSignal): Promise<Snapshot> {
    refuseClosed()
    return (await keeper.use(signal)).reader.snapshot()
  }

  async function applyEdit<Result>(
    where: EditPlace,
    change: (draft: Notebook, place: Place) => Result,
    { seen, signal, author }: EditOptions,
  ) {
    const room = await keeper.use(signal)
    const edited = editRoom(room, { path, where, change, seen, author })
    if (edited.snapshot !== edited.before) {
      isUnsaved = true
      await room.confirm()
    }
    return edited
  }

  async function save(signal?: AbortSignal): Promise<Snapshot> {
    refuseClosed()
    const snapshot = await saveRoom(await keeper.use(signal), { path, contents }, signal)
    isUnsaved = false
    return snapshot
  }

  /** The server would write it soon; but whoever closes a notebook may be about to rename or delete its file. */
  async function saveLast(): Promise<void> {
    try {
      await save(AbortSignal.timeout(LAST_SAVE_MS))
    } catch (error) {
      logger.debug({ err: error, path }, 'a notebook could not be saved as it was let go')
    }
  }

  function refuseClosed(): void {
    if (!isClosed) return
    throw new ToolError('not_found', `${quote(path)} was let go. Open it again with use_notebook.`)
  }

  async function track<Result>(work: Promise<Result>): Promise<Result> {
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  return Object.freeze({
    path,
    backend: 'live' as const,
    read,
    async edit<Result>(
      where: EditPlace,
      change: (draft: Notebook, place: Place) => Result,
      editOptions: EditOptions = {},
    ) {
      refuseClosed()
      return track(applyEdit(where, change, editOptions))
    },
    showRun: (index: number, seen: Snapshot, author?: string) =>
      createShownRun({
        path,
        keeper,
        index,
        seen,
        author,
        after,
        onWrite() {
          isUnsaved = true
        },
      }),
    save,
    watch: (listener: Listener) => watch.add(listener),
    async close() {
      if (isClosed) return
      await Promise.allSettled(running)
      if (isUnsaved) await saveLast()
      isClosed = true
      watch.close()
      await release()
    },
  })
}

const LAST_SAVE_MS = 5_000
