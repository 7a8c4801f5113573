import type { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { type Person, toPerson } from './person.ts'

/** Who has the notebook open, and where each of them is. */
export interface Presence {
  subscribe(listener: () => void): () => void
  /** No more than can be shown, ourselves among them. */
  people(): readonly Person[]
  /** How many there are, shown or not. */
  total(): number
  rename(name: string): void
  /** Undefined: in none. */
  enterCell(id: string | undefined): void
  select(text: Y.Text, anchor: number, head: number): void
  close(): void
}

export interface PresenceOptions {
  readonly awareness: Awareness
  readonly name: string
}

const MOST_PEOPLE = 50
/** One connection can tell of thousands, and of each of them as often as it likes. */
const TELL_EVERY_MS = 100

export function createPresence({ awareness, name }: PresenceOptions): Presence {
  const { doc } = awareness
  const listeners = new Set<() => void>()
  let people: readonly Person[] | undefined
  let total = 1
  let timer: ReturnType<typeof setTimeout> | undefined

  function tell(): void {
    clearTimeout(timer)
    timer = undefined
    people = undefined
    total = awareness.getStates().size
    for (const listener of listeners) listener()
  }

  /** Where we are ourselves is seen without this, and changes with every key. */
  function onChange({ added, updated, removed }: Changed): void {
    if ([...added, ...updated, ...removed].some((id) => id !== awareness.clientID))
      timer ??= setTimeout(tell, TELL_EVERY_MS)
  }

  function readPeople(): readonly Person[] {
    const states = awareness.getStates()
    const self = awareness.clientID
    const others = [...states.keys()].filter((id) => id !== self).slice(0, MOST_PEOPLE - 1)
    return [self, ...others].flatMap((id) => {
      const state = states.get(id)
      return state === undefined ? [] : [toPerson({ id, state, doc, isSelf: id === self })]
    })
  }

  rename(name)
  awareness.on('change', onChange)

  function rename(next: string): void {
    const initials = next.slice(0, 2).toUpperCase()
    const user = { username: next, name: next, display_name: next, initials, color: '', avatar_url: null }
    awareness.setLocalStateField('user', user)
    tell()
  }

  return Object.freeze({
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    people() {
      people ??= readPeople()
      return people
    },
    total: () => total,
    rename,
    enterCell(id: string | undefined) {
      const known = awareness.getLocalState()
      if (known !== null && known.cell !== (id ?? null))
        awareness.setLocalState({ ...known, cell: id ?? null, cursors: [] })
    },
    select(text: Y.Text, anchor: number, head: number) {
      const toPosition = (index: number) =>
        Y.createRelativePositionFromTypeIndex(text, Math.min(index, text.length))
      // As JupyterLab writes them, so that each sees the other's.
      const cursor = {
        primary: true,
        empty: anchor === head,
        anchor: toPosition(anchor),
        head: toPosition(head),
      }
      awareness.setLocalStateField('cursors', [cursor])
    },
    close() {
      clearTimeout(timer)
      awareness.off('change', onChange)
      listeners.clear()
    },
  })
}

interface Changed {
  readonly added: readonly number[]
  readonly updated: readonly number[]
  readonly removed: readonly number[]
}
