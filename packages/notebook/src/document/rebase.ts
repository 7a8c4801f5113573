import { isDeepStrictEqual } from 'node:util'
import { alignCells } from './align-cells.ts'
import type { CellTarget } from './cell-target.ts'
import { changedCell, missingCell, missingGap, staleIndex } from './conflict.ts'
import type { EditPlace, Place, Seen, Snapshot } from './document.ts'
import { cellAt, findCell, findGap } from './find-cell.ts'
import type { Cell, Notebook } from './nbformat.ts'
import { comparable, isSameNotebook } from './same-notebook.ts'

export interface Rebased {
  readonly place: Place
  /** Somebody else has changed the notebook since it was seen, elsewhere. */
  readonly merged: boolean
}

/**
 * Finds the place of an edit, chosen in `seen`, in the notebook as it is now. Throws a conflict when the place is gone, or when what the
 * edit touches has changed. Without `seen` the place counts in `current`.
 */
export function rebase(where: EditPlace, current: Snapshot, seen: Seen | undefined): Rebased {
  const { cells = [], gap = -1, touches } = where
  const now = current.notebook
  if (!seen) {
    const place = { cells: cells.map((target) => findCell(now, target)), gap: findGap(now, gap) }
    return { place, merged: false }
  }
  if (seen.indicesAreStale) refuseIndices(cells, gap)
  const then = seen.notebook
  const aligned = alignCells(then.cells, now.cells)
  const sameRevision = seen.revision === current.revision
  const place = {
    cells: cells.map((target) => {
      const index = findSeen(target, then, now)
      if (index === undefined) return findCell(now, target)
      const found = aligned[index] ?? -1
      const cell = cellAt(then, index)
      const counterpart = now.cells[found]
      // A caller that names an id means that very cell, and no other of the same content.
      const isOther = 'id' in target && counterpart?.id !== target.id && !sameRevision
      if (!counterpart || isOther) throw missingCell(index, cell, inPlaceOf(index, aligned, now))
      if (!isUnchanged[touches](cell, counterpart)) throw changedCell(index, cell, counterpart)
      return found
    }),
    gap: mapGap(findGap(then, gap), then, now, aligned),
  }
  return { place, merged: !sameRevision && !isSameNotebook(then, now) }
}

/** The two ends of a notebook are where they are, whatever others have done. */
function refuseIndices(cells: readonly CellTarget[], gap: number): void {
  const target = cells.find((cell) => 'index' in cell)
  if (target && 'index' in target) throw staleIndex(target.index)
  if (gap > 0) throw staleIndex(gap)
}

/** Undefined for a cell named by an id that is there by now, but was not when the caller looked. */
function findSeen(target: CellTarget, then: Notebook, now: Notebook): number | undefined {
  if ('id' in target && !hasId(then, target.id) && hasId(now, target.id)) return undefined
  return findCell(then, target)
}

function hasId({ cells }: Notebook, id: string): boolean {
  return cells.some((cell) => cell.id === id)
}

/** Text cells have nothing of it. */
function ranOf(cell: Cell) {
  return cell.cell_type === 'code' ? [cell.execution_count, cell.outputs] : []
}

const isUnchanged: Readonly<Record<EditPlace['touches'], (a: Cell, b: Cell) => boolean>> = {
  source: (a, b) => a.cell_type === b.cell_type && a.source === b.source,
  outputs: (a, b) => a.cell_type === b.cell_type && isDeepStrictEqual(ranOf(a), ranOf(b)),
  structure: (a, b) => isDeepStrictEqual(comparable(a, false), comparable(b, false)),
}

/** Before the cell that it was before, or behind the one that it was behind; the ends of the notebook count as cells. */
function mapGap(gap: number, then: Notebook, now: Notebook, aligned: readonly number[]): number {
  const next = gap === then.cells.length ? now.cells.length : (aligned[gap] ?? -1)
  const previous = gap === 0 ? -1 : (aligned[gap - 1] ?? -1)
  const hasPrevious = gap === 0 || previous !== -1
  if (next !== -1 && (!hasPrevious || previous < next)) return next
  if (next === -1 && hasPrevious) return previous + 1
  throw missingGap(gap, then.cells[gap - 1], then.cells[gap])
}

/** The one cell between the neighbours that a missing one had, for the reader of the error. */
function inPlaceOf(index: number, aligned: readonly number[], { cells }: Notebook): Cell | undefined {
  const previous = index === 0 ? 0 : (aligned[index - 1] ?? -1) + 1
  const next = index === aligned.length - 1 ? cells.length : (aligned[index + 1] ?? -1)
  const hasPrevious = index === 0 || previous > 0
  return hasPrevious && next === previous + 1 ? cells[previous] : undefined
}
