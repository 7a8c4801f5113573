import type { Logger } from '@quire/kit/log'
import * as Y from 'yjs'
import { formatNotebook, type Notebook, NotebookFault, parseNotebook } from '../notebook/nbformat.ts'
import type { SaveOutcome } from './frames.ts'
import type { History } from './history.ts'
import { mergeNotebook } from './merge-notebook.ts'
import { type FileState, hashOf, type NotebookFiles } from './notebook-file.ts'
import { restoreDocument } from './restore-document.ts'
import type { RoomDocument } from './room.ts'
import { readDocument, sharedNotebookOf } from './shared-notebook.ts'
import { createTurns } from './turns.ts'

export interface LiveDocumentOptions {
  readonly fileId: string
  /** Undefined once the file was deleted. */
  readonly path: () => Promise<string | undefined>
  readonly files: NotebookFiles
  readonly history: History
  readonly logger: Logger
  readonly timing: LiveTiming
  /** The file is no longer there. */
  readonly onGone: () => void
}

export interface LiveTiming {
  /** From the last edit to the save. */
  readonly saveDelayMs: number
  /** From the first edit to the save, where edits do not end. */
  readonly saveLatestMs: number
  /** How often the file is looked at. */
  readonly pollMs: number
  /** After a save that failed; then twice as long each time, up to a minute. */
  readonly retryMs: number
}

/** One notebook as a shared document and as a file, which follow each other. */
export interface LiveDocument extends RoomDocument {
  /** As if this had been written to the file: what changed since that was read comes in, edits that no file has yet stay. Throws where it cannot be saved. */
  replace(notebook: Notebook): Promise<void>
  isDirty(): boolean
}

const LONGEST_RETRY_MS = 60_000
/** A program that writes a file anew may take it away for a moment. */
const MISSED_LOOKS = 2
/** Origins of changes that the file has, or that no file has. */
const FROM_FILE = Symbol('from the file')
const STATE_ONLY = Symbol('state only')

export async function openLiveDocument(options: LiveDocumentOptions): Promise<LiveDocument> {
  const { fileId, files, history, logger, timing, onGone } = options
  const takeTurn = createTurns()
  const path = await currentPath()
  const file = await files.read(path)
  const notebook = parseNotebook(file.text)
  const restored = restoreDocument(await history.read(fileId), file.hash, notebook)
  const { doc } = restored
  const { state, meta, cells } = sharedNotebookOf(doc)
  let known: FileState = { hash: file.hash, stamp: file.stamp }
  let base = restored.base
  let isDirty = formatNotebook(readDocument(doc)) !== formatNotebook(base)
  let changes = 0
  let misses = 0
  let failures = 0
  let isClosed = false
  let saving: NodeJS.Timeout | undefined
  let dirtySince = 0

  tell({ path, dirty: isDirty, hash: known.hash })
  await history.write(fileId, { hashes: [known.hash], update: Y.encodeStateAsUpdate(doc) })
  doc.on('update', onUpdate)
  if (isDirty) saveLater(timing.saveDelayMs)
  let polling = setTimeout(look, timing.pollMs)

  return Object.freeze({
    doc,
    apply: (update: Uint8Array, origin: object) => Y.applyUpdate(doc, update, origin),
    save,
    async replace(next: Notebook) {
      await takeTurn(async () => {
        await takeOver()
        mergeNotebook(doc, base, next)
        await write()
      })
    },
    isDirty: () => isDirty,
    close() {
      isClosed = true
      clearTimeout(saving)
      clearTimeout(polling)
      doc.destroy()
    },
  })

  function onUpdate(
    _update: Uint8Array,
    origin: unknown,
    _doc: Y.Doc,
    { changedParentTypes }: Y.Transaction,
  ) {
    if (origin === STATE_ONLY || origin === FROM_FILE) return
    const changed: ReadonlySet<unknown> = new Set(changedParentTypes.keys())
    if (!changed.has(cells) && !changed.has(meta)) return
    changes += 1
    if (!isDirty) dirtySince = performance.now()
    isDirty = true
    if (state.get('dirty') !== true) tell({ dirty: true })
    const latest = dirtySince + timing.saveLatestMs - performance.now()
    if (failures === 0) saveLater(Math.max(0, Math.min(timing.saveDelayMs, latest)))
  }

  function saveLater(delayMs: number): void {
    clearTimeout(saving)
    saving = setTimeout(() => void save(), delayMs)
  }

  function save(): Promise<SaveOutcome> {
    return takeTurn(async () => {
      if (isClosed) return 'failed'
      if (!isDirty) return 'skipped'
      clearTimeout(saving)
      try {
        await takeOver()
        if (isDirty) await write()
        failures = 0
        return 'success'
      } catch (error) {
        logger.error({ err: error, file_id: fileId }, 'a notebook could not be saved; it will be tried again')
        const delay = Math.min(timing.retryMs * 2 ** failures, LONGEST_RETRY_MS)
        failures += 1
        if (!isClosed) saveLater(delay)
        return 'failed'
      }
    })
  }

  async function write(): Promise<void> {
    const target = await currentPath()
    if ((await files.stamp(target)) === undefined) throw new Error('the file of the notebook is gone')
    const version = changes
    const written = readDocument(doc)
    const text = formatNotebook(written)
    const update = Y.encodeStateAsUpdate(doc)
    await history.write(fileId, { hashes: [known.hash, hashOf(text)], update })
    known = await files.write(target, text)
    base = written
    if (isClosed) return
    isDirty = changes !== version
    tell({ path: target, dirty: isDirty, hash: known.hash })
  }

  async function look(): Promise<void> {
    try {
      await takeTurn(takeOver)
    } catch (error) {
      logger.warn({ err: error, file_id: fileId }, 'the file of a live notebook could not be looked at')
    }
    if (!isClosed) polling = setTimeout(look, timing.pollMs)
  }

  /** What somebody else wrote to the file. */
  async function takeOver(): Promise<void> {
    if (isClosed) return
    const target = await options.path()
    const stamp = target && (await files.stamp(target))
    misses = stamp ? 0 : misses + 1
    if (!target || misses >= MISSED_LOOKS) return onGone()
    if (stamp && state.get('path') !== target) tell({ path: target })
    if (!stamp || stamp === known.stamp) return
    const now = await files.read(target)
    const isSame = now.hash === known.hash
    const next = isSame ? undefined : readable(now.text)
    if (next) await merge(next, now.hash)
    known = { hash: next ? now.hash : known.hash, stamp: now.stamp }
    if (next && !isClosed) tell({ hash: known.hash })
  }

  /** Kept before anybody sees it: a restart in between must not bring the same edits a second time. */
  async function merge(next: Notebook, hash: string): Promise<void> {
    const before = Y.encodeStateVector(doc)
    const copy = new Y.Doc()
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
    base = mergeNotebook(copy, base, next)
    await history.write(fileId, { hashes: [hash], update: Y.encodeStateAsUpdate(copy) })
    if (!isClosed) Y.applyUpdate(doc, Y.encodeStateAsUpdate(copy, before), FROM_FILE)
    copy.destroy()
  }

  function readable(text: string): Notebook | undefined {
    try {
      return parseNotebook(text)
    } catch (error) {
      if (!(error instanceof NotebookFault)) throw error
      logger.warn(
        { file_id: fileId },
        `the file of a live notebook is no notebook any more: ${error.message}`,
      )
      return undefined
    }
  }

  function tell(fields: Readonly<Record<string, unknown>>): void {
    doc.transact(() => {
      for (const [key, value] of Object.entries(fields)) if (state.get(key) !== value) state.set(key, value)
    }, STATE_ONLY)
  }

  async function currentPath(): Promise<string> {
    const current = await options.path()
    if (current === undefined) throw new Error('the notebook was deleted')
    return current
  }
}
