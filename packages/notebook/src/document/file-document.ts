import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '@quire/kit/log'
import { ToolError } from '../tool-error.ts'
import {
  type ContentsPort,
  type FileState,
  type FileVersion,
  isSameVersion,
  isTold,
  revisionOf,
  versionOf,
} from './contents-port.ts'
import type { Edited, EditOptions, EditPlace, NotebookDocument, Place, Snapshot } from './document.ts'
import { toDraft } from './draft.ts'
import { explainFailure } from './file-failure.ts'
import { type After, createFileWatch, type Listener, systemAfter } from './file-watch.ts'
import { quote } from './json.ts'
import type { Notebook } from './nbformat.ts'
import { createPathLocks, type PathLocks } from './path-locks.ts'
import { refuseOldFormat, toNotebook } from './read-notebook.ts'
import { rebase } from './rebase.ts'
import { toContent } from './write-notebook.ts'

const MAX_ATTEMPTS = 5

export interface FileDocumentOptions {
  readonly path: string
  readonly contents: ContentsPort
  readonly logger: Logger
  /** Shared by all documents of one server, so that edits of one file wait for each other. */
  readonly locks?: PathLocks
  readonly after?: After
}

/** A notebook behind the contents API. Nothing is kept here: every reading and every edit begins with the file. */
export function createFileDocument({
  path,
  contents,
  logger,
  locks = createPathLocks(),
  after = systemAfter,
}: FileDocumentOptions): NotebookDocument {
  const running = new Set<Promise<unknown>>()
  const watch = createFileWatch({ path, look, read, logger, after })
  let isClosed = false
  let edits = 0

  async function look(signal: AbortSignal | undefined): Promise<FileVersion> {
    const state = await readFile(false, signal)
    return isTold(state) ? state : (await fetchNotebook(signal)).version
  }

  async function readFile(content: boolean, signal: AbortSignal | undefined): Promise<FileState> {
    try {
      return await contents.read(path, { content, signal })
    } catch (error) {
      throw explainFailure(error, path)
    }
  }

  async function read(signal?: AbortSignal): Promise<Snapshot> {
    refuseClosed()
    const editsBefore = edits
    const { snapshot, version } = await fetchNotebook(signal)
    // What an edit has overtaken is no news.
    if (edits === editsBefore) watch.saw(snapshot, version)
    return snapshot
  }

  async function fetchNotebook(signal: AbortSignal | undefined) {
    const state = await readFile(true, signal)
    const { content, type, writable } = state
    if (type !== 'notebook') {
      const text = `${quote(path)} is not a notebook but a ${type}. Give the path of a file that ends in .ipynb.`
      throw new ToolError('invalid_argument', text)
    }
    const version = versionOf(state)
    return { snapshot: { notebook: toNotebook(content), revision: revisionOf(version) }, version, writable }
  }

  async function applyEdit<Result>(
    where: EditPlace,
    change: (draft: Notebook, place: Place) => Result,
    { seen, signal }: EditOptions,
  ): Promise<Edited<Result>> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      refuseClosed()
      const { snapshot: current, version, writable } = await fetchNotebook(signal)
      watch.saw(current, version)
      if (!writable) throw readOnly()
      refuseOldFormat(current.notebook)
      const { place, merged } = rebase(where, current, seen)
      const draft = toDraft(current.notebook)
      const result = change(draft, place)
      if (isDeepStrictEqual(draft, current.notebook))
        return { result, before: current, snapshot: current, merged }
      const notebook = toContent(draft, current.notebook)
      if (!isSameVersion(await look(signal), version)) continue
      const snapshot = await write(notebook, version, signal)
      return { result, before: current, snapshot, merged }
    }
    throw new ToolError(
      'conflict',
      `${quote(path)} was changed by somebody else ${MAX_ATTEMPTS} times while this edit was made, so nothing was written. Try again in a moment.`,
    )
  }

  async function write(notebook: Notebook, before: FileVersion, signal: AbortSignal | undefined) {
    const written = await contents.write(path, notebook, { signal })
    const version = before.hash === undefined || written.hash ? written : await withHash(written, signal)
    const snapshot: Snapshot = { notebook, revision: revisionOf(version) }
    edits += 1
    watch.saw(snapshot, version)
    return snapshot
  }

  /** Servers that give a hash when they are asked may give none with the answer to a write. */
  async function withHash(written: FileVersion, signal: AbortSignal | undefined): Promise<FileVersion> {
    try {
      const latest = await look(signal)
      return latest.lastModified === written.lastModified ? latest : written
    } catch (error) {
      // The edit is in the file, and the time of writing tells its state as well.
      logger.debug({ err: error, path }, 'the hash of a written notebook could not be read')
      return written
    }
  }

  function readOnly(): ToolError {
    return new ToolError(
      'forbidden',
      `${quote(path)} is read-only on the notebook server, so nothing was written. Make the file writable there, or work on a copy.`,
    )
  }

  function refuseClosed(): void {
    if (!isClosed) return
    throw new ToolError('not_found', `${quote(path)} was let go. Open it again with use_notebook.`)
  }

  return Object.freeze({
    path,
    backend: 'file' as const,
    read,
    async edit<Result>(
      where: EditPlace,
      change: (draft: Notebook, place: Place) => Result,
      options: EditOptions = {},
    ) {
      refuseClosed()
      const edit = locks.run(path, () => applyEdit(where, change, options), options.signal)
      running.add(edit)
      try {
        return await edit
      } finally {
        running.delete(edit)
      }
    },
    /** Every edit is in the file by the time it is answered: there is only to see that the file is there. */
    save: read,
    watch(listener: Listener) {
      return watch.add(listener)
    },
    async close() {
      isClosed = true
      watch.close()
      await Promise.allSettled(running)
    },
  })
}
