import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../tool-error.ts'
import { type PlacedCell, refuseDuplicates } from './edit-cells.ts'
import { cellAt } from './find-cell.ts'
import { quote } from './json.ts'
import type { Cell, Json, Notebook } from './nbformat.ts'
import { dropOutputs } from './split-cell.ts'

/** Neighbours of one type become the first of them, in the order of the notebook. What ran is no longer what stands there: the outputs go. */
export function mergeCells(
  draft: Notebook,
  indices: readonly number[],
): PlacedCell & { readonly removedOutputs: number } {
  const sorted = indices.toSorted((a, b) => a - b)
  const cells = sorted.map((index) => cellAt(draft, index))
  const [index] = sorted
  const [first] = cells
  if (index === undefined || first === undefined || cells.length < 2) {
    throw new ToolError(
      'invalid_argument',
      'At least two cells are needed to merge. Name neighbouring cells.',
    )
  }
  refuseDuplicates(sorted)
  refuseStrangers(sorted, cells)
  const attachments = joinAttachments(cells)
  const removedOutputs = cells.reduce((sum, cell) => sum + dropOutputs(cell), 0)
  first.source = cells.map((cell) => cell.source).join(first.cell_type === 'markdown' ? '\n\n' : '\n')
  if (first.cell_type !== 'code' && attachments) first.attachments = attachments
  draft.cells.splice(index + 1, cells.length - 1)
  return { index, cell: first, removedOutputs }
}

function refuseStrangers(sorted: readonly number[], cells: readonly Cell[]): void {
  const gap = sorted.find((index, position) => position > 0 && index - 1 !== sorted[position - 1])
  if (gap !== undefined) {
    throw new ToolError(
      'invalid_argument',
      `Cells ${sorted.join(', ')} are not neighbours: other cells stand before cell ${gap}. Move them together first, or merge fewer.`,
    )
  }
  const types = new Set(cells.map((cell) => cell.cell_type))
  if (types.size > 1) {
    throw new ToolError(
      'invalid_argument',
      `Only cells of one type can be merged, and these are ${[...types].join(' and ')}. Change the type of some with change_cell_type first.`,
    )
  }
}

function joinAttachments(cells: readonly Cell[]): Json | undefined {
  let joined: Json | undefined
  for (const cell of cells) {
    if (cell.cell_type === 'code' || !cell.attachments) continue
    for (const [name, bundle] of Object.entries(cell.attachments)) {
      if (joined && Object.hasOwn(joined, name) && !isDeepStrictEqual(joined[name], bundle)) {
        throw new ToolError(
          'conflict',
          `Two of these cells have different attachments of the name ${quote(name)}, and one would be lost. Rename one of them in Jupyter first.`,
        )
      }
      joined = { ...joined, [name]: bundle }
    }
  }
  return joined
}
