import { z } from 'zod'
import type { CellTarget } from '../../document/cell-target.ts'
import type { EditPlace } from '../../document/document.ts'
import { ToolError } from '../../tool-error.ts'

/** Optional, and a null says the same as leaving it out: clients send explicit nulls. */
export function orDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) {
  return (
    schema
      .nullable()
      // The value is one of the schema's own, which zod cannot see through the type parameter.
      .default(value as never)
      .transform((given): z.output<Schema> => given ?? value)
  )
}

export const notebookName = z
  .string()
  .min(1)
  .nullish()
  .describe(
    'The name under which the notebook was opened with use_notebook. Without it the current notebook is meant.',
  )

export const cellIndex = z
  .int()
  .min(0)
  .nullish()
  .describe('Index of the cell, counted from 0 in what you saw last. Give this or cell_id.')

export const cellId = z
  .string()
  .min(1)
  .nullish()
  .describe('Id of the cell. It stays when cells move, and decides when cell_index is given too.')

const MOST_CELLS = 10_000

/** Without a lower bound: an index that is not there is told together with the range that is. */
export const cellIndices = z
  .array(z.int())
  .min(1)
  .max(MOST_CELLS)
  .nullish()
  .describe('Indices of the cells, counted from 0 in what you saw last. Give these or cell_ids.')

export const cellIds = z
  .array(z.string().min(1))
  .min(1)
  .max(MOST_CELLS)
  .nullish()
  .describe('Ids of the cells. They decide when cell_indices are given too.')

/** The fields of a tool that works on one cell. */
export const oneCell = { cell_index: cellIndex, cell_id: cellId, notebook_name: notebookName }

/** The fields of a tool that puts a cell somewhere. */
export const newCell = {
  cell_index: z
    .int()
    .min(-1)
    .nullish()
    .describe(
      'Where the new cell will stand, counted from 0; -1, or leaving it out, means behind the last cell.',
    ),
  cell_id: z
    .string()
    .min(1)
    .nullish()
    .describe('Instead of cell_index: the new cell goes before the cell of this id.'),
}

export interface CellNames {
  readonly cell_index?: number | null | undefined
  readonly cell_id?: string | null | undefined
}

/** `prefix` is for tools that name two cells. */
export function toCellTarget({ cell_index: index, cell_id: id }: CellNames, prefix = ''): CellTarget {
  if (typeof id === 'string') return { id }
  if (typeof index === 'number') return { index }
  const names = prefix === '' ? 'cell_index or cell_id' : `${prefix}index or ${prefix}cell_id`
  throw new ToolError('invalid_argument', `Which cell is meant? Give ${names}; read_notebook shows both.`)
}

/** Where a new cell goes: before the cell of that id, at that index, or else behind the last. */
export function toGap({ cell_index: index, cell_id: id }: CellNames): Pick<EditPlace, 'cells' | 'gap'> {
  return typeof id === 'string' ? { cells: [{ id }] } : { gap: index ?? -1 }
}

/** A list of cells by their ids or by their indices. The ids decide when both are given. */
export function toCellTargets(
  indices: readonly number[] | null | undefined,
  ids: readonly string[] | null | undefined,
): readonly CellTarget[] {
  if (ids && ids.length > 0) return ids.map((id) => ({ id }))
  if (indices && indices.length > 0) return indices.map((index) => ({ index }))
  throw new ToolError(
    'invalid_argument',
    'Which cells are meant? Give cell_indices or cell_ids; read_notebook shows both.',
  )
}
