import { isDeepStrictEqual } from 'node:util'
import type { Cell, Notebook } from './nbformat.ts'
import { withoutTrust } from './trust.ts'

export function isSameNotebook(a: Notebook, b: Notebook): boolean {
  return (
    isDeepStrictEqual(a.metadata, b.metadata) &&
    a.cells.length === b.cells.length &&
    a.cells.every(
      (cell, index) =>
        cell === b.cells[index] ||
        isDeepStrictEqual(comparable(cell, true), comparable(b.cells[index], true)),
    )
  )
}

/** A cell by all that lasts of it. */
export function comparable(cell: Cell | undefined, withId: boolean): unknown {
  if (!cell) return undefined
  const { id, metadata, ...rest } = cell
  return { ...rest, metadata: withoutTrust(metadata), id: withId ? id : undefined }
}
