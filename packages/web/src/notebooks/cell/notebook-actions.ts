import type { CellType } from '../live/cells.ts'
import type { SharedNotebook } from '../live/shared-notebook.ts'

/** What can be done with a cell that is on the page. */
export interface CellHandle {
  /** To write in it. */
  edit(): void
  /** To have it in sight, as a whole. */
  show(): void
}

/** What cells do to the notebook that they are in. Stays the same object. */
export interface NotebookActions {
  readonly shared: SharedNotebook
  register(id: string, handle: CellHandle): () => void
  run(ids: readonly string[]): void
  /** To the next cell, or to a new one at the end. */
  goOn(id: string): void
  /** To this cell, as it is on the page. */
  reach(id: string, how: keyof CellHandle): void
  step(id: string, by: -1 | 1): void
  /** Before it (0) or behind it (1), and then writes in it. */
  insert(id: string, offset: 0 | 1, type: CellType): void
  append(type: CellType): void
  /** Its neighbour is chosen then. */
  remove(id: string): void
  showKeys(): void
}
