import * as Y from 'yjs'
import type { RoomDocument } from './room.ts'

/** Of a room where clients only show that they are there: what they write into it is let fall. */
export function createPresenceDocument(): RoomDocument {
  const doc = new Y.Doc()
  return Object.freeze({
    doc,
    apply: () => undefined,
    save: async () => 'skipped' as const,
    close: () => doc.destroy(),
  })
}
