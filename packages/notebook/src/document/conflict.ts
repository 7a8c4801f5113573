import { ToolError } from '../tool-error.ts'
import { unifiedDiff } from './diff.ts'
import { quote } from './json.ts'
import type { Cell } from './nbformat.ts'
import { withoutTrust } from './trust.ts'

const MAX_DIFF = 2_000

/** Cells are named by the index that the caller knows. */
export function changedCell(index: number, seen: Cell, now: Cell): ToolError {
  return new ToolError(
    'conflict',
    `Cell ${index} was changed by somebody else since it was read, so nothing was done. ${describe(seen, now)}\nRead it again with read_cell, then repeat the call.`,
  )
}

/** `now` is the cell that stands in its place, if one does. */
export function missingCell(index: number, seen: Cell, now: Cell | undefined): ToolError {
  const what = now
    ? `Another cell stands in its place.\n${difference(seen.source, now.source)}`
    : `It began with: ${firstLine(seen)}`
  return new ToolError(
    'conflict',
    `Cell ${index} was deleted or changed by somebody else since it was read, so nothing was done. ${what}\nRead the notebook again with read_notebook, then repeat the call.`,
  )
}

export function missingGap(gap: number, before: Cell | undefined, after: Cell | undefined): ToolError {
  const neighbours = [before && `behind ${firstLine(before)}`, after && `before ${firstLine(after)}`]
  return new ToolError(
    'conflict',
    `The place at index ${gap} is no longer there: somebody else deleted or moved the cells around it since the notebook was read, so nothing was done. It was ${neighbours.filter(Boolean).join(' and ')}.\nRead the notebook again with read_notebook, then repeat the call.`,
  )
}

export function staleIndex(index: number): ToolError {
  return new ToolError(
    'conflict',
    `Somebody else has added, deleted or moved cells since you listed them, so index ${index} may mean another cell now. Nothing was done. List the cells again with read_notebook, or name the cell by its cell_id.`,
  )
}

function describe(seen: Cell, now: Cell): string {
  if (seen.cell_type !== now.cell_type) {
    return `It was a ${seen.cell_type} cell and is now a ${now.cell_type} cell.`
  }
  if (seen.source !== now.source) return `Its source:\n${difference(seen.source, now.source)}`
  const [before, after] = [restOf(seen), restOf(now)]
  return `Beside its source:\n${difference(before, after)}`
}

function difference(seen: string, now: string): string {
  const diff = `--- as it was read\n+++ as it is now\n${unifiedDiff(seen, now)}`
  if (diff.length <= MAX_DIFF) return diff
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n… (the rest is left out)`
}

function restOf({ id, cell_type, source, metadata, ...rest }: Cell): string {
  return JSON.stringify({ ...rest, metadata: withoutTrust(metadata) }, undefined, 1)
}

function firstLine({ source }: Cell): string {
  const [line = ''] = source.split('\n', 1)
  return quote(line)
}
