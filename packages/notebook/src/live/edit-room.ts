import { isDeepStrictEqual } from 'node:util'
import type { Edited, EditPlace, Place, Seen } from '../document/document.ts'
import { toDraft } from '../document/draft.ts'
import { quote } from '../document/json.ts'
import type { Cell, Notebook } from '../document/nbformat.ts'
import { refuseOldFormat } from '../document/read-notebook.ts'
import { rebase } from '../document/rebase.ts'
import { toContent } from '../document/write-notebook.ts'
import { ToolError } from '../tool-error.ts'
import { placeOfWriting } from './author-place.ts'
import { type LiveRoom, OWN } from './open-live-room.ts'
import { isUntouched } from './untouched.ts'
import { writeDifference } from './write-difference.ts'

export interface RoomEdit<Result> {
  readonly path: string
  readonly where: EditPlace
  readonly change: (draft: Notebook, place: Place) => Result
  readonly seen?: Seen | undefined
  /** Shown to the others in the room. */
  readonly author?: string | undefined
}

/** One edit as one transaction. Nothing is waited for in it, so that nobody else's edit comes between reading and writing. */
export function editRoom<Result>(room: LiveRoom, edit: RoomEdit<Result>): Edited<Result> {
  const { path, where, change, seen, author } = edit
  const before = room.reader.snapshot()
  if (!room.writable) throw readOnly(path)
  refuseOldFormat(before.notebook)
  const { place, merged } = rebase(where, before, seen)
  const draft = toDraft(before.notebook)
  const copies = draft.cells
  draft.cells = [...copies]
  const result = change(draft, place)
  const origins = originsIn(draft, copies, before.notebook)
  const settled = settle(draft, before.notebook, origins)
  if (isSame(settled, before.notebook)) return { result, before, snapshot: before, merged }
  const after = toContent(settled, before.notebook)
  room.doc.transact(() => writeDifference(room.doc, { before: before.notebook, after, origins }), OWN)
  if (author !== undefined) {
    const near = place.cells[0] ?? place.gap
    const written = { before: before.notebook, after: settled, origins, near }
    // Behind the confirmation of the edit, which somebody waits for.
    queueMicrotask(() => room.authors.show(author, placeOfWriting(room, written)))
  }
  return { result, before, snapshot: room.reader.snapshot(), merged }
}

/** A cell of the draft comes from the one that it is a copy of, or else from the one of the same id. */
function originsIn(
  { cells }: Notebook,
  copies: readonly Cell[],
  before: Notebook,
): readonly (number | undefined)[] {
  // Most edits leave all cells where they are.
  if (cells.length === copies.length && cells.every((cell, index) => cell === copies[index]))
    return cells.map((_, index) => index)
  const indices = new Map(copies.map((cell, index) => [cell, index]))
  const ids = new Map(before.cells.map(({ id }, index) => [id, index]))
  const taken = new Set<number>()
  return cells.map((cell) => {
    const origin = indices.get(cell) ?? (cell.id === undefined ? undefined : ids.get(cell.id))
    if (origin === undefined || taken.has(origin)) return undefined
    taken.add(origin)
    return origin
  })
}

/** What was not touched is again what it was, so that nothing of it is looked at any more. */
function settle(draft: Notebook, { cells }: Notebook, origins: readonly (number | undefined)[]): Notebook {
  const settled = draft.cells.map((cell, index) => {
    const old = cells[origins[index] ?? -1]
    return old && isUntouched(old, cell) ? old : cell
  })
  return { ...draft, cells: settled }
}

function isSame(one: Notebook, other: Notebook): boolean {
  const { cells, ...rest } = one
  const { cells: others, ...otherRest } = other
  return (
    cells.length === others.length &&
    cells.every((cell, index) => cell === others[index] || isDeepStrictEqual(cell, others[index])) &&
    isDeepStrictEqual(rest, otherRest)
  )
}

function readOnly(path: string): ToolError {
  return new ToolError(
    'forbidden',
    `${quote(path)} is read-only on the notebook server, so nothing was written. Make the file writable there, or work on a copy.`,
  )
}
