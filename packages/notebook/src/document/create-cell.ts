import { randomBytes } from 'node:crypto'
import type { Cell, CellType, Notebook } from './nbformat.ts'

/** A cell that fits into the notebook: with an id where its format has them, without one where it has not. */
export function createCell(notebook: Notebook, type: CellType, source: string): Cell {
  const common = { ...(hasCellIds(notebook) && { id: createCellId(notebook) }), source, metadata: {} }
  return type === 'code'
    ? { ...common, cell_type: type, execution_count: null, outputs: [] }
    : { ...common, cell_type: type }
}

/** Ids came with nbformat 4.5; a cell of an older notebook with one is invalid. */
export function hasCellIds({ nbformat_minor }: Notebook): boolean {
  return nbformat_minor >= 5
}

function createCellId({ cells }: Notebook): string {
  const taken = new Set(cells.map((cell) => cell.id))
  let id: string
  do id = randomBytes(4).toString('hex')
  while (taken.has(id))
  return id
}
