import type { EditPlace, Place } from '../../document/document.ts'
import { cellAt } from '../../document/find-cell.ts'
import type { Cell, Notebook } from '../../document/nbformat.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import type { ToolContext } from '../tool-context.ts'
import { type CellNames, toCellTarget } from './fields.ts'

export interface NotebookEdit<Result> {
  readonly notebook: ManagedNotebook
  readonly result: Result
  /** All cells, after the edit. */
  readonly cells: readonly Cell[]
  /** Somebody else had changed the notebook since the caller saw it. */
  readonly merged: boolean
}

/** Edits in what the caller has seen, and remembers what it sees now. */
export async function editNotebook<Result>(
  { view, signal, author }: Pick<ToolContext, 'view' | 'signal' | 'author'>,
  name: string | null | undefined,
  where: EditPlace,
  change: (draft: Notebook, place: Place) => Result,
): Promise<NotebookEdit<Result>> {
  const notebook = view.notebook(name)
  const edited = await notebook.document.edit(where, change, { seen: view.seen(notebook), signal, author })
  const merged = view.showEdit(notebook, edited)
  return {
    notebook,
    result: edited.result,
    cells: edited.snapshot.notebook.cells,
    merged,
  }
}

interface CellEdit<Result> {
  readonly index: number
  /** After the edit. */
  readonly cell: Cell
  readonly change: Result
}

/** The same for the one cell that the caller names. */
export function editCell<Result>(
  context: Pick<ToolContext, 'view' | 'signal' | 'author'>,
  input: CellNames & { readonly notebook_name?: string | null | undefined },
  touches: EditPlace['touches'],
  change: (draft: Notebook, index: number) => Result,
): Promise<NotebookEdit<CellEdit<Result>>> {
  const where = { cells: [toCellTarget(input)], touches }
  // One cell is asked for, so one place is found.
  return editNotebook(context, input.notebook_name, where, (draft, { cells: [index = -1] }) => {
    const result = change(draft, index)
    return { index, cell: cellAt(draft, index), change: result }
  })
}

/** The line that tells the caller of changes by others. */
export function withMergeNote(text: string, merged: boolean): string {
  if (!merged) return text
  return `${text}\n\n[NOTE: somebody else has changed this notebook since you last read it. Indices may have moved: read it again, or name cells by their ids.]`
}
