import * as Y from 'yjs'
import type { Notebook } from '../notebook/nbformat.ts'
import type { Kept } from './history.ts'
import { mergeNotebook } from './merge-notebook.ts'
import { fillDocument, readDocument, sharedNotebookOf } from './shared-notebook.ts'

/** A document with the history that was kept, brought up to its file; `base` is the file, with the ids that its cells have in the document. */
export function restoreDocument(
  kept: Kept | undefined,
  hash: string,
  notebook: Notebook,
): { doc: Y.Doc; base: Notebook } {
  const doc = kept && rebuild(kept.update)
  if (!doc) return build(notebook)
  const now = readDocument(doc)
  // A file that the history knows may be behind it, where the server was stopped between the two: then it is not the file that changed.
  if (!kept.hashes.includes(hash)) return { doc, base: mergeNotebook(doc, now, notebook) }
  const copy = new Y.Doc()
  Y.applyUpdate(copy, kept.update)
  const base = mergeNotebook(copy, now, notebook)
  copy.destroy()
  return { doc, base }
}

function build(notebook: Notebook): { doc: Y.Doc; base: Notebook } {
  const doc = new Y.Doc()
  fillDocument(doc, notebook)
  return { doc, base: readDocument(doc) }
}

/** Undefined for what is damaged. */
function rebuild(update: Uint8Array): Y.Doc | undefined {
  const doc = new Y.Doc()
  try {
    Y.applyUpdate(doc, update)
    if (typeof sharedNotebookOf(doc).meta.get('nbformat_minor') === 'number') return doc
  } catch {
    // It is built anew from the file: only somebody who was away meanwhile would have needed it.
  }
  doc.destroy()
  return undefined
}
