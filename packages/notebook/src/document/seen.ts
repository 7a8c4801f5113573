import { isDeepStrictEqual } from 'node:util'
import { alignCells } from './align-cells.ts'
import type { Seen, Snapshot } from './document.ts'
import type { Cell, Notebook } from './nbformat.ts'
import { isSameNotebook } from './same-notebook.ts'

/** Part of a notebook was read: the rest stays known as it was, so that a later edit of it is held against what the client really knows. */
export function seeCells(known: Seen | undefined, now: Snapshot, shown: Iterable<number>): Seen {
  if (!known) return now
  const cells = recall(known.notebook, now.notebook, now.notebook, new Set(shown))
  return compose(now, cells, known.indicesAreStale === true || hasMoved(known.notebook, now.notebook))
}

/** The cells were listed with their indices, of some of them no more than that. */
export function seeList(known: Seen | undefined, now: Snapshot, shown: Iterable<number>): Seen {
  if (!known) return now
  return compose(now, recall(known.notebook, now.notebook, now.notebook, new Set(shown)), false)
}

export interface OwnEdit {
  /** What the edit was applied to. */
  readonly before: Snapshot
  readonly snapshot: Snapshot
}

/** The client's own edit: it knows what it changed, and nothing of what others had changed before. `isNews`: there was such a thing. */
export function seeEdit(
  known: Seen | undefined,
  { before, snapshot }: OwnEdit,
): { seen: Seen; isNews: boolean } {
  if (!known) return { seen: snapshot, isNews: false }
  const isNews = known.revision !== before.revision && !isSameNotebook(known.notebook, before.notebook)
  if (!isNews)
    return { seen: compose(snapshot, snapshot.notebook.cells, known.indicesAreStale === true), isNews }
  const cells = recall(known.notebook, before.notebook, snapshot.notebook, new Set())
  const isStale = known.indicesAreStale === true || hasMoved(known.notebook, before.notebook)
  return { seen: compose(snapshot, cells, isStale), isNews }
}

/** Another revision than the notebook's own where the two differ: equal revisions are taken for equal notebooks. */
function compose(now: Snapshot, cells: Cell[], indicesAreStale: boolean): Seen {
  const isWhole = cells.every((cell, index) => cell === now.notebook.cells[index])
  return {
    notebook: isWhole ? now.notebook : { ...now.notebook, cells },
    revision: isWhole ? now.revision : `${now.revision} in part`,
    ...(indicesAreStale && { indicesAreStale }),
  }
}

/** The cells of `now`, each as it is known: what has changed from `before` to `now` is the client's own doing. */
function recall(known: Notebook, before: Notebook, now: Notebook, shown: ReadonlySet<number>): Cell[] {
  const knownAt = originsOf(known.cells, now.cells)
  const beforeAt = before === now ? undefined : originsOf(before.cells, now.cells)
  return now.cells.map((cell, index) => {
    const old = known.cells[knownAt[index] ?? -1]
    const start = beforeAt ? before.cells[beforeAt[index] ?? -1] : cell
    return old && start && !shown.has(index) ? recallCell(old, start, cell) : cell
  })
}

function recallCell(known: Cell, before: Cell, now: Cell): Cell {
  if (known === now) return now
  if (before.cell_type !== now.cell_type) return now
  if (known.cell_type !== now.cell_type) return known
  const recalled: Cell = { ...now, source: before.source === now.source ? known.source : now.source }
  if (recalled.cell_type === 'code' && known.cell_type === 'code' && before.cell_type === 'code') {
    const isRun =
      recalled.execution_count !== before.execution_count ||
      !isDeepStrictEqual(recalled.outputs, before.outputs)
    if (!isRun) Object.assign(recalled, { outputs: known.outputs, execution_count: known.execution_count })
  }
  return isDeepStrictEqual(recalled, now) ? now : recalled
}

function hasMoved(then: Notebook, now: Notebook): boolean {
  return (
    then.cells.length !== now.cells.length ||
    alignCells(then.cells, now.cells).some((to, from) => to !== from)
  )
}

/** For each cell of `after` its index in `before`, or -1. */
function originsOf(before: readonly Cell[], after: readonly Cell[]): readonly number[] {
  const origins = after.map(() => -1)
  alignCells(before, after).forEach((to, from) => {
    if (to !== -1) origins[to] = from
  })
  return origins
}
