import { isDeepStrictEqual } from 'node:util'
import { type Doc, Array as SharedList, Map as SharedMap, Text as SharedText } from 'yjs'
import { isRecord } from '../document/json.ts'
import type { Cell, Json, Notebook } from '../document/nbformat.ts'
import { editText } from './edit-text.ts'
import { longestRun } from './longest-run.ts'
import { EXECUTION_STATE, toSharedCell, toSharedOutput } from './shared-cell.ts'
import { writeOutputs } from './write-outputs.ts'

export interface Difference {
  /** What the document reads now. */
  readonly before: Notebook
  readonly after: Notebook
  /** For each cell after the edit its index before, undefined for a new one. */
  readonly origins: readonly (number | undefined)[]
}

/** Makes a live document, which reads `before`, read `after`, touching nothing that is the same. To be called inside a transaction. */
export function writeDifference(doc: Doc, { before, after, origins }: Difference): void {
  const meta = doc.getMap('meta')
  writeValue(meta, 'metadata', before.metadata, after.metadata)
  for (const key of ['nbformat', 'nbformat_minor'] as const) {
    if (before[key] !== after[key]) meta.set(key, after[key])
  }
  writeCells(doc.getArray('cells'), { before, after, origins })
}

function writeCells(cells: SharedList<unknown>, { before, after, origins }: Difference): void {
  const isKept = (origin: number | undefined, index: number) =>
    origin !== undefined && before.cells[origin]?.cell_type === after.cells[index]?.cell_type
  const isInPlace = (origin: number | undefined, index: number) => origin === index && isKept(origin, index)
  if (origins.length === before.cells.length && origins.every(isInPlace)) {
    after.cells.forEach((cell, index) => {
      const old = before.cells[index]
      const shared = old === cell ? undefined : cells.get(index)
      if (old && shared instanceof SharedMap) writeCell(shared, old, cell)
    })
    return
  }
  // Nothing can be moved in a live document: cells that leave their order, or their type, are made anew.
  const inPlace = longestRun(origins.map((origin, index) => (isKept(origin, index) ? origin : undefined)))
  const kept = new Set([...inPlace].map((index) => origins[index]))
  const list = cells.toArray()
  // A cell that was deleted says nothing of itself any more.
  const movedIds = new Map(
    origins.flatMap((origin, index) =>
      origin === undefined || inPlace.has(index) ? [] : [[origin, idOf(list[origin])]],
    ),
  )
  for (let index = before.cells.length - 1; index >= 0; index -= 1) {
    if (!kept.has(index)) cells.delete(index)
  }
  after.cells.forEach((cell, index) => {
    const origin = origins[index] ?? -1
    const [old, shared] = [before.cells[origin], list[origin]]
    if (!inPlace.has(index)) cells.insert(index, [toSharedCell(cell, cell.id ?? movedIds.get(origin))])
    else if (old && shared instanceof SharedMap) writeCell(shared, old, cell)
  })
}

function idOf(shared: unknown): string | undefined {
  const id = shared instanceof SharedMap ? shared.get('id') : undefined
  return typeof id === 'string' ? id : undefined
}

function writeCell(shared: SharedMap<unknown>, before: Cell, after: Cell): void {
  if (before === after) return
  const { source: oldSource, metadata: oldMetadata, ...old } = before
  const { source, metadata, ...rest } = after
  if (source !== oldSource) writeSource(shared, oldSource, source)
  writeValue(shared, 'metadata', oldMetadata, metadata)
  for (const key of new Set([...Object.keys(old), ...Object.keys(rest)])) {
    if (key === EXECUTION_STATE || key === 'outputs') continue
    writeKey(shared, key, Reflect.get(old, key), Reflect.get(rest, key))
  }
  if (before.cell_type !== 'code' || after.cell_type !== 'code') return
  if (isDeepStrictEqual(before.outputs, after.outputs)) return
  const outputs = shared.get('outputs')
  if (outputs instanceof SharedList) writeOutputs(outputs, before.outputs, after.outputs)
  else shared.set('outputs', SharedList.from(after.outputs.map(toSharedOutput)))
}

function writeSource(shared: SharedMap<unknown>, before: string, after: string): void {
  const text = shared.get('source')
  if (text instanceof SharedText) editText(text, before, after)
  else shared.set('source', new SharedText(after))
}

/** A record whose keys others may change at the same time is written key by key. */
function writeValue(parent: SharedMap<unknown>, key: string, before: Json, after: Json): void {
  if (isDeepStrictEqual(before, after)) return
  const shared = parent.get(key)
  if (!(shared instanceof SharedMap)) {
    parent.set(key, isRecord(shared) ? after : new SharedMap(Object.entries(after)))
    return
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    writeKey(shared, name, before[name], after[name])
}

function writeKey(shared: SharedMap<unknown>, key: string, before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after)) return
  if (after === undefined) shared.delete(key)
  else shared.set(key, after)
}
