import { Map as SharedMap, Text as SharedText } from 'yjs'
import type { Notebook } from '../document/nbformat.ts'
import type { AuthorPlace } from './authors.ts'
import type { LiveRoom } from './open-live-room.ts'

export interface Written {
  readonly before: Notebook
  readonly after: Notebook
  /** For each cell the one that it comes from, as an index in what was before. */
  readonly origins: readonly (number | undefined)[]
  /** Where the edit was to happen. */
  readonly near: number
}

/** Where somebody is who has just written that: at the end of what is new. */
export function placeOfWriting({ doc }: LiveRoom, written: Written): AuthorPlace | undefined {
  const { before, after, origins, near } = written
  const changed = after.cells.findIndex((cell, at) => cell !== before.cells[origins[at] ?? -1])
  const at = changed === -1 ? Math.min(Math.max(near, 0), after.cells.length - 1) : changed
  const cell = doc.getArray('cells').get(at)
  const id = cell instanceof SharedMap ? cell.get('id') : undefined
  if (!(cell instanceof SharedMap) || typeof id !== 'string') return undefined
  const text = cell.get('source')
  const old = before.cells[origins[at] ?? -1]?.source ?? ''
  const now = after.cells[at]?.source ?? ''
  if (!(text instanceof SharedText) || old === now) return { cell: id }
  return { cell: id, caret: { text, index: Math.min(endOfNews(old, now), text.length) } }
}

function endOfNews(old: string, now: string): number {
  const most = Math.min(old.length, now.length)
  let same = 0
  while (same < most && old.at(-1 - same) === now.at(-1 - same)) same += 1
  return now.length - same
}
