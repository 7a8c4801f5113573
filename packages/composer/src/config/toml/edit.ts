import type { Span } from './layout.ts'

/** Puts a text in the place of a span; an empty span inserts. */
export interface Edit extends Span {
  readonly text: string
}

/** The edits must not overlap; those at one place come in their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((one, other) => one.start - other.start || one.end - other.end)
  let result = ''
  let at = 0
  for (const edit of ordered) {
    if (edit.start < at) throw new Error('Two edits of one text overlap.')
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}
