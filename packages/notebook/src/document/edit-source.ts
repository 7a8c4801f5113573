import { ToolError } from '../tool-error.ts'
import { cellAt } from './find-cell.ts'
import { quote } from './json.ts'
import type { Notebook } from './nbformat.ts'

export interface SourceChange {
  readonly before: string
  readonly after: string
}

/** Outputs, count, metadata and id stay. */
export function overwriteSource(draft: Notebook, index: number, source: string): SourceChange {
  const cell = cellAt(draft, index)
  const before = cell.source
  cell.source = source
  return { before, after: source }
}

export interface Replacement {
  /** Literal, and may span lines. */
  readonly old: string
  readonly replacement: string
  /** Otherwise the old text must be there exactly once. */
  readonly all?: boolean | undefined
}

export function editSource(
  draft: Notebook,
  index: number,
  { old, replacement, all = false }: Replacement,
): SourceChange & { readonly replaced: number } {
  const cell = cellAt(draft, index)
  const before = cell.source
  if (old === '') {
    throw new ToolError(
      'invalid_argument',
      'The text to replace must not be empty. Give some text of the cell.',
    )
  }
  const starts = occurrences(before, old, all ? old.length : 1)
  if (starts === 0) {
    throw new ToolError(
      'not_found',
      `The text to replace was not found in cell ${index}: ${quote(old)}. Read the cell and copy the text exactly, blanks and line breaks too.`,
    )
  }
  if (starts > 1 && !all) {
    throw new ToolError(
      'invalid_argument',
      `The text to replace is not unique in cell ${index}: it occurs ${starts} times. Give more of the text around it, or set replace_all.`,
    )
  }
  cell.source = before.replaceAll(old, () => replacement)
  return { before, after: cell.source, replaced: starts }
}

function occurrences(text: string, wanted: string, step: number): number {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) count += 1
  return count
}
