import * as Y from 'yjs'
import { LOCAL, type SharedNotebook } from './shared-notebook.ts'

export type CellType = 'code' | 'markdown' | 'raw'
export type SharedCell = Y.Map<unknown>

export const CELL_TYPES: Readonly<Record<CellType, string>> = { code: 'Code', markdown: 'Text', raw: 'Raw' }

export function isCellType(value: unknown): value is CellType {
  return typeof value === 'string' && Object.hasOwn(CELL_TYPES, value)
}

export function idOf(shared: unknown): string | undefined {
  const id = shared instanceof Y.Map ? shared.get('id') : undefined
  return typeof id === 'string' ? id : undefined
}

export function isCell(shared: unknown): shared is SharedCell {
  return shared instanceof Y.Map && idOf(shared) !== undefined && shared.get('source') instanceof Y.Text
}

export function sourceOf(cell: SharedCell): Y.Text {
  const source = cell.get('source')
  if (source instanceof Y.Text) return source
  throw new TypeError('A cell of this notebook has no source.')
}

export function typeOf(cell: SharedCell): CellType {
  const type = cell.get('cell_type')
  return isCellType(type) ? type : 'raw'
}

export function createCell(type: CellType, source = ''): SharedCell {
  const fields: [string, unknown][] = [
    ['id', crypto.randomUUID()],
    ['cell_type', type],
    ['source', new Y.Text(source)],
    ['metadata', new Y.Map()],
  ]
  if (type === 'code')
    fields.push(['outputs', new Y.Array()], ['execution_count', null], ['execution_state', 'idle'])
  return new Y.Map(fields)
}

/** Answers its id. */
export function insertCell(shared: SharedNotebook, index: number, type: CellType): string | undefined {
  const cell = createCell(type)
  const { cells } = shared
  change(shared, () => cells.insert(Math.min(index, cells.length), [cell]))
  return idOf(cell)
}

/** Two who move cells at the same moment may leave one twice: then the second is one of its own. */
export function tellDoublesApart({ doc, cells }: SharedNotebook): void {
  const taken = new Set<unknown>()
  const doubles = cells.toArray().filter((cell) => isCell(cell) && !isFirst(idOf(cell)))
  if (doubles.length === 0) return
  doc.transact(() => {
    for (const cell of doubles) if (isCell(cell)) cell.set('id', crypto.randomUUID())
  })

  function isFirst(id: unknown): boolean {
    if (taken.has(id)) return false
    taken.add(id)
    return true
  }
}

export function deleteCell(shared: SharedNotebook, cell: SharedCell): void {
  const { cells } = shared
  const index = indexOf(cells, cell)
  if (index !== -1) change(shared, () => cells.delete(index))
}

/** The neighbour changes its place: so whoever writes in this one goes on writing, and what it runs still finds it. */
export function moveCell(shared: SharedNotebook, cell: SharedCell, by: -1 | 1): void {
  const { cells } = shared
  const index = indexOf(cells, cell)
  const neighbour = cells.get(index + by)
  if (index === -1 || !(neighbour instanceof Y.Map)) return
  change(shared, () => {
    const copy = neighbour.clone()
    cells.delete(index + by)
    cells.insert(index, [copy])
  })
}

/** Under the same id: for others, too, it is the same cell. */
export function changeType(shared: SharedNotebook, cell: SharedCell, type: CellType): void {
  const { cells } = shared
  const index = indexOf(cells, cell)
  if (index === -1 || typeOf(cell) === type) return
  const changed = createCell(type, sourceOf(cell).toString())
  changed.set('id', idOf(cell))
  change(shared, () => {
    cells.delete(index)
    cells.insert(index, [changed])
  })
}

export function clearOutputs(shared: SharedNotebook, cell: SharedCell): void {
  const outputs = cell.get('outputs')
  change(shared, () => {
    if (outputs instanceof Y.Array) outputs.delete(0, outputs.length)
    cell.set('execution_count', null)
  })
}

/** One step of undoing, whatever was written just before. */
function change({ doc, undo }: SharedNotebook, act: () => void): void {
  undo.stopCapturing()
  doc.transact(act, LOCAL)
  undo.stopCapturing()
}

function indexOf(cells: Y.Array<unknown>, cell: SharedCell): number {
  return cells.toArray().indexOf(cell)
}
