import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import { createRelativePositionFromTypeIndex, Doc, type Text } from 'yjs'
import { userOf } from './presence.ts'

/** Where somebody is in a notebook. */
export interface AuthorPlace {
  /** The id of the cell. */
  readonly cell: string
  /** In its text, where something was written. */
  readonly caret?: { readonly text: Text; readonly index: number } | undefined
}

/** Those who work through us in one room. Each is seen there as somebody of their own. */
export interface Authors {
  /** They are seen from then on, and for a while after the last time. */
  show(name: string, place: AuthorPlace | undefined): void
  close(): void
}

export interface AuthorsOptions {
  readonly send: (awarenessUpdate: Uint8Array) => void
  readonly seenMs?: number
}

interface Author {
  readonly awareness: Awareness
  readonly leaving: NodeJS.Timeout
}

const SEEN_MS = 60_000
const MOST = 20

export function createAuthors({ send, seenMs = SEEN_MS }: AuthorsOptions): Authors {
  const shown = new Map<string, Author>()

  function enter(name: string): Author {
    const [oldest] = shown.keys()
    if (shown.size >= MOST && oldest !== undefined) leave(oldest)
    // Its timer renews what is shown for as long as somebody is there.
    const awareness = new Awareness(new Doc())
    awareness.on('update', () => send(encodeAwarenessUpdate(awareness, [awareness.clientID])))
    return { awareness, leaving: setTimeout(leave, seenMs, name).unref() }
  }

  function leave(name: string): void {
    const author = shown.get(name)
    if (!author) return
    shown.delete(name)
    clearTimeout(author.leaving)
    author.awareness.setLocalState(null)
    author.awareness.destroy()
    author.awareness.doc.destroy()
  }

  return Object.freeze({
    show(name: string, place: AuthorPlace | undefined) {
      const author = shown.get(name) ?? enter(name)
      // The one who was here last is the last to make room for others.
      shown.delete(name)
      shown.set(name, author)
      author.leaving.refresh()
      author.awareness.setLocalState({ user: userOf(name), ...toState(place) })
    },
    close() {
      for (const name of [...shown.keys()]) leave(name)
    },
  })
}

function toState(place: AuthorPlace | undefined) {
  if (!place) return {}
  const { cell, caret } = place
  if (!caret) return { cell, cursors: [] }
  const head = createRelativePositionFromTypeIndex(caret.text, caret.index)
  return { cell, cursors: [{ primary: true, empty: true, anchor: head, head }] }
}
