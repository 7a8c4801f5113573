import { randomUUID } from 'node:crypto'
import { type Doc, Map as SharedMap, type YEvent, YMapEvent } from 'yjs'
import { hasCellIds } from '../document/create-cell.ts'
import type { Snapshot } from '../document/document.ts'
import type { Cell, Notebook } from '../document/nbformat.ts'
import { toCell, toNotebook } from '../document/read-notebook.ts'
import { ToolError } from '../tool-error.ts'
import { EXECUTION_STATE, toPlain } from './shared-cell.ts'

/** A live document read as a notebook. What has not changed since it was last read is not read again. */
export interface NotebookReader {
  /** Throws where the document does not say of itself that it is a notebook: then it is not even an empty one. */
  snapshot(): Snapshot
  /** Until the returned function is called. */
  onChange(listener: () => void): () => void
}

type SharedEvent = YEvent<SharedMap<unknown>>

export function createNotebookReader(doc: Doc): NotebookReader {
  const cells = doc.getArray('cells')
  const meta = doc.getMap('meta')
  let known = new WeakMap<SharedMap<unknown>, Cell>()
  const listeners = new Set<() => void>()
  const name = randomUUID()
  let changes = 0
  let latest: Snapshot | undefined

  cells.observeDeep((events) => changed(events))
  meta.observeDeep((events) => {
    // Whether cells have ids hangs on the format.
    known = new WeakMap()
    changed(events)
  })

  function changed(events: readonly SharedEvent[]): void {
    if (events.every(isStateAlone)) return
    for (const { target } of events) forget(target)
    changes += 1
    latest = undefined
    for (const listener of listeners) listener()
  }

  function forget(target: unknown): void {
    let at: unknown = target
    while (at instanceof Object && 'parent' in at) {
      if (at instanceof SharedMap) known.delete(at)
      at = at.parent
    }
  }

  function read(): Notebook {
    const { nbformat, nbformat_minor, metadata } = Object.fromEntries(
      [...meta.entries()].map(([key, value]) => [key, toPlain(value)]),
    )
    const frame = toNotebook({ nbformat, nbformat_minor, metadata, cells: [] })
    const withIds = hasCellIds(frame)
    return { ...frame, cells: cells.toArray().map((shared, index) => readCell(shared, index, withIds)) }
  }

  function readCell(shared: unknown, index: number, withIds: boolean): Cell {
    const old = shared instanceof SharedMap ? known.get(shared) : undefined
    if (old) return old
    const cell = toCell(withoutState(toPlain(shared)), index)
    if (!withIds) delete cell.id
    if (shared instanceof SharedMap) known.set(shared, cell)
    return cell
  }

  return Object.freeze({
    snapshot() {
      if (!meta.has('nbformat')) throw noNotebook()
      latest ??= { notebook: read(), revision: `${name} ${changes}` }
      return latest
    },
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
}

/** Whether a cell runs is no part of the notebook. */
function isStateAlone(event: SharedEvent): boolean {
  return event instanceof YMapEvent && event.keysChanged.size === 1 && event.keysChanged.has(EXECUTION_STATE)
}

function withoutState(cell: unknown): unknown {
  if (typeof cell !== 'object' || cell === null) return cell
  const { [EXECUTION_STATE]: state, ...rest }: { [EXECUTION_STATE]?: unknown } = cell
  return rest
}

function noNotebook(): ToolError {
  return new ToolError(
    'failing',
    'The live document on the notebook server holds no notebook, or one of a version that is not known here. Close and open it there, and try again.',
  )
}
