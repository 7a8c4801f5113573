import type * as Y from 'yjs'
import type { Presence } from './presence.ts'

/** The layout of `@jupyter/ydoc`, version 2. */
export interface SharedNotebook {
  readonly doc: Y.Doc
  readonly cells: Y.Array<unknown>
  readonly meta: Y.Map<unknown>
  readonly state: Y.Map<unknown>
  /** Of edits of this page. */
  readonly undo: Y.UndoManager
  readonly presence: Presence
}

/** Marks edits of this page. */
export const LOCAL = Symbol('an edit of this page')
