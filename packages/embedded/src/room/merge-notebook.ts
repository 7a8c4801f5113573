import * as Y from 'yjs'
import { isRecord, isSameJson, type JsonRecord, toPlain } from '../json.ts'
import { type Cell, type Notebook, untrusted } from '../notebook/nbformat.ts'
import { mergeText } from './merge-text.ts'
import { idOf, readDocument, sharedNotebookOf, toSharedCell, toSharedOutput } from './shared-notebook.ts'

/**
 * Brings what changed between `base` and `next` into a document, which may have changed since `base` by itself: cell by cell, texts by their
 * difference. What is the same in both is not touched. Cells of `next` whose ids are unknown are taken for those of `base` that they equal: returns `next`
 * with the ids that its cells have in the document.
 */
export function mergeNotebook(doc: Y.Doc, base: Notebook, next: Notebook): Notebook {
  const wanted = { ...next, cells: withKnownIds(base.cells, next.cells) }
  doc.transact(() => {
    mergeMeta(doc, base, wanted)
    removeCells(doc, base, wanted)
    changeCells(doc, base, wanted)
    orderCells(doc, base, wanted)
  })
  return wanted
}

function mergeMeta(doc: Y.Doc, base: Notebook, next: Notebook): void {
  const { meta } = sharedNotebookOf(doc)
  if (base.nbformat_minor !== next.nbformat_minor) meta.set('nbformat_minor', next.nbformat_minor)
  mergeMap(meta, 'metadata', base.metadata, next.metadata)
}

/** One that somebody edited here meanwhile stays. */
function removeCells(doc: Y.Doc, base: Notebook, next: Notebook): void {
  const kept = new Set<string>(next.cells.map(({ id }) => id))
  const removed = base.cells.filter(({ id }) => !kept.has(id))
  if (removed.length === 0) return
  const now = new Map(readDocument(doc).cells.map((cell) => [cell.id, cell]))
  const doomed = new Set<unknown>(
    removed.filter((cell) => isSameJson(cell, now.get(cell.id))).map(({ id }) => id),
  )
  const { cells } = sharedNotebookOf(doc)
  for (let index = cells.length - 1; index >= 0; index -= 1)
    if (doomed.has(idOf(cells.get(index)))) cells.delete(index)
}

function changeCells(doc: Y.Doc, base: Notebook, next: Notebook): void {
  const { cells } = sharedNotebookOf(doc)
  const before = new Map(base.cells.map((cell) => [cell.id, cell]))
  const present = new Map(cells.toArray().map((shared, index) => [idOf(shared), index]))
  for (const cell of next.cells) {
    const old = before.get(cell.id)
    const index = present.get(cell.id)
    if (!old || index === undefined || isSameJson(old, cell)) continue
    const shared = cells.get(index)
    if (old.cell_type === cell.cell_type && shared instanceof Y.Map) changeCell(shared, old, cell)
    else {
      cells.delete(index)
      cells.insert(index, [toSharedCell(cell)])
    }
  }
}

function changeCell(shared: Y.Map<unknown>, old: Cell, cell: Cell): void {
  if (old.source !== cell.source) changeSource(shared, old.source, cell.source)
  mergeMap(shared, 'metadata', untrusted(old.metadata), untrusted(cell.metadata))
  if (!isSameJson(old.attachments, cell.attachments))
    shared.set('attachments', toPlain(cell.attachments ?? {}))
  if (!isSameJson(old.execution_count, cell.execution_count))
    shared.set('execution_count', cell.execution_count ?? null)
  if (!isSameJson(old.outputs, cell.outputs)) changeOutputs(shared, listOf(old.outputs), listOf(cell.outputs))
}

function changeSource(shared: Y.Map<unknown>, old: string, next: string): void {
  const text = shared.get('source')
  if (text instanceof Y.Text) mergeText(text, old, next)
  else shared.set('source', new Y.Text(next))
}

function changeOutputs(
  shared: Y.Map<unknown>,
  old: readonly JsonRecord[],
  next: readonly JsonRecord[],
): void {
  const outputs = shared.get('outputs')
  if (!(outputs instanceof Y.Array)) {
    shared.set('outputs', Y.Array.from(next.map(toSharedOutput)))
    return
  }
  const isLonger = next.length > old.length && outputs.length === old.length
  const isContinued = isLonger && old.every((output, index) => isSameJson(output, next[index]))
  const kept = isContinued ? old.length : 0
  if (!isContinued) outputs.delete(0, outputs.length)
  outputs.push(next.slice(kept).map(toSharedOutput))
}

function mergeMap(holder: Y.Map<unknown>, key: string, old: unknown, next: unknown): void {
  if (isSameJson(old, next) || !isRecord(old) || !isRecord(next)) return
  let map = holder.get(key)
  if (!(map instanceof Y.Map)) {
    map = new Y.Map()
    holder.set(key, map)
  }
  const shared = map as Y.Map<unknown>
  for (const name of Object.keys(old)) if (!Object.hasOwn(next, name)) shared.delete(name)
  for (const [name, value] of Object.entries(next))
    if (!isSameJson(old[name], value)) shared.set(name, toPlain(value))
}

/** New cells come behind the one that they follow in `next`; known ones move only where `next` has them in another order than `base`. */
function orderCells(doc: Y.Doc, base: Notebook, next: Notebook): void {
  const { cells } = sharedNotebookOf(doc)
  const known = new Set<unknown>(base.cells.map(({ id }) => id))
  const steady = steadyIds(base, next)
  let order = cells.toArray().map(idOf)
  const current = new Map(readDocument(doc).cells.map((cell) => [cell.id, cell]))
  let previous: string | undefined
  for (const cell of next.cells) {
    const index = order.indexOf(cell.id)
    const isPresent = index !== -1
    if (isPresent && (steady.has(cell.id) || !known.has(cell.id))) previous = cell.id
    // One that is gone from the document, though not from the file, was deleted here.
    else if (isPresent || !known.has(cell.id)) {
      if (isPresent) {
        cells.delete(index)
        order = order.toSpliced(index, 1)
      }
      const place = previous === undefined ? 0 : order.indexOf(previous) + 1
      cells.insert(place, [toSharedCell((isPresent && current.get(cell.id)) || cell)])
      order = order.toSpliced(place, 0, cell.id)
      previous = cell.id
    }
  }
}

/** The most that can stay where they are; the others are moved around them: a longest increasing run of old places. */
function steadyIds(base: Notebook, next: Notebook): ReadonlySet<string> {
  const places = new Map(base.cells.map(({ id }, index) => [id, index]))
  const known = next.cells.flatMap(({ id }) => {
    const place = places.get(id)
    return place === undefined ? [] : [{ id, place }]
  })
  const tails: Link[] = []
  for (const { id, place } of known) {
    const found = tails.findIndex((tail) => tail.place >= place)
    const at = found === -1 ? tails.length : found
    tails[at] = { id, place, before: tails[at - 1] }
  }
  const steady = new Set<string>()
  for (let link = tails.at(-1); link; link = link.before) steady.add(link.id)
  return steady
}

interface Link {
  readonly id: string
  readonly place: number
  readonly before: Link | undefined
}

/** Formats before 4.5 have no ids in the file: what equals a cell of `base`, in order, is that cell; then what stands in its place. */
function withKnownIds(base: readonly Cell[], next: readonly Cell[]): readonly Cell[] {
  const known = new Set(base.map(({ id }) => id))
  const strangers = next.filter(({ id }) => !known.has(id))
  if (strangers.length === 0) return next
  const taken = new Set(next.map(({ id }) => id))
  const free = base.filter(({ id }) => !taken.has(id))
  const ids = new Map<Cell, string>()
  let from = 0
  for (const stranger of strangers) {
    const at = free.findIndex(
      (cell, index) =>
        index >= from && cell.cell_type === stranger.cell_type && cell.source === stranger.source,
    )
    if (at === -1) continue
    ids.set(stranger, free[at]?.id ?? stranger.id)
    from = at + 1
  }
  return next.map((cell) => {
    const id = ids.get(cell)
    return id === undefined ? cell : { ...cell, id }
  })
}

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
