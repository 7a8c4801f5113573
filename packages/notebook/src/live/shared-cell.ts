import { randomUUID } from 'node:crypto'
import { Array as SharedList, Map as SharedMap, Text as SharedText } from 'yjs'
import type { Cell, Json, Output } from '../document/nbformat.ts'

/** Only in live documents: a file has no such thing. */
export const EXECUTION_STATE = 'execution_state'

/** A cell as live documents hold it. There each has an id, whatever the notebook's format says. */
export function toSharedCell(cell: Cell, id: string = cell.id ?? randomUUID()): SharedMap<unknown> {
  const { source, metadata, ...rest } = cell
  const shared = toSharedMap({ ...rest, id })
  shared.set('source', new SharedText(source))
  shared.set('metadata', toSharedMap(metadata))
  if (cell.cell_type === 'code') {
    shared.set('outputs', SharedList.from(cell.outputs.map(toSharedOutput)))
    shared.set(EXECUTION_STATE, 'idle')
  }
  return shared
}

/** The text of a stream can be appended to. */
export function toSharedOutput(output: Output): SharedMap<unknown> {
  const shared = toSharedMap(output)
  if (output.output_type === 'stream') shared.set('text', new SharedText(output.text))
  return shared
}

function toSharedMap(record: object): SharedMap<unknown> {
  return new SharedMap(Object.entries(record))
}

/** What can be put into a file of a value of a live document. */
export function toPlain(value: unknown): unknown {
  if (value instanceof SharedMap || value instanceof SharedList) return fromEntries(value)
  if (value instanceof SharedText) return value.toString()
  return typeof value === 'bigint' ? Number(value) : value
}

function fromEntries(value: SharedMap<unknown> | SharedList<unknown>): Json | unknown[] {
  if (value instanceof SharedList) return value.toArray().map(toPlain)
  return Object.fromEntries([...value.entries()].map(([key, item]) => [key, toPlain(item)]))
}
