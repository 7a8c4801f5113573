import type { Notebook } from './nbformat.ts'

/** A copy to edit. Edits replace what a cell holds and never change it inside, so that cells of any size are copied at no cost. */
export function toDraft(notebook: Notebook): Notebook {
  return {
    ...notebook,
    metadata: structuredClone(notebook.metadata),
    cells: notebook.cells.map((cell) => ({ ...cell })),
  }
}
