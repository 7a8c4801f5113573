import type { Cell } from '../document/nbformat.ts'

/** Most cells of most edits: nothing of them was replaced. Asked of every cell at every edit, so it makes nothing that would have to be collected. */
export function isUntouched<One extends Cell>(before: One, after: One): boolean {
  for (const key in after) if (before[key] !== after[key]) return false
  for (const key in before) if (!(key in after)) return false
  return true
}
