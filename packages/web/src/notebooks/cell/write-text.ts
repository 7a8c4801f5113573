import type * as Y from 'yjs'
import { LOCAL } from '../live/shared-notebook.ts'
import { findChange } from '../live/text-change.ts'

/** Makes the shared text read what the text box reads, by the one change between them. */
export function writeText(source: Y.Text, value: string, caret: number): void {
  source.doc?.transact(() => {
    unifyLineEnds(source)
    const { at, removed, inserted } = findChange(source.toString(), value, caret)
    if (removed > 0) source.delete(at, removed)
    if (inserted !== '') source.insert(at, inserted)
  }, LOCAL)
}

/** Text boxes know one kind of them; positions would not fit otherwise. */
function unifyLineEnds(source: Y.Text): void {
  const found = [...source.toString().matchAll(/\r(\n?)/g)].toReversed()
  for (const { index, 1: newline } of found) {
    source.delete(index, 1)
    if (newline === '') source.insert(index, '\n')
  }
}
