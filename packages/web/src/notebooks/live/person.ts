import * as Y from 'yjs'
import { idOf } from './cells.ts'

export interface Person {
  readonly id: number
  readonly name: string
  readonly isSelf: boolean
  readonly isAgent: boolean
  /** Of the cell that they are in. */
  readonly cell: string | undefined
  /** Where the end of their selection is that moves. */
  readonly cursor: Y.RelativePosition | undefined
}

interface Known {
  readonly id: number
  /** Whatever its client wrote. */
  readonly state: Readonly<Record<string, unknown>>
  readonly doc: Y.Doc
  readonly isSelf: boolean
}

const LONGEST_NAME = 60
const AGENT = 'quire-agent'

export function toPerson({ id, state, doc, isSelf }: Known): Person {
  const user = isRecord(state.user) ? state.user : {}
  const cursor = toCursor(state.cursors)
  const told = typeof state.cell === 'string' ? state.cell : undefined
  return {
    id,
    name: toName(user),
    isSelf,
    isAgent: user.username === AGENT,
    cell: (cursor && cellOf(cursor, doc)) ?? told,
    cursor,
  }
}

/** Where a cursor is in that text, if it is there. */
export function indexIn(text: Y.Text, cursor: Y.RelativePosition): number | undefined {
  const place = text.doc && placeOf(cursor, text.doc)
  return place?.type === text ? place.index : undefined
}

/** White can be read on it; the same for the same name. */
export function colourOf(person: Person): string {
  return `oklch(0.5 0.14 ${hueOf(person)})`
}

/** Seen on light and on dark. */
export function lineColourOf(person: Person): string {
  return `oklch(0.65 0.17 ${hueOf(person)})`
}

function hueOf({ name }: Person): number {
  let hue = 0
  for (const letter of name) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return hue
}

function toName({ display_name, name, username }: Readonly<Record<string, unknown>>): string {
  const known = [display_name, name, username].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof known === 'string' ? known.slice(0, LONGEST_NAME) : 'Somebody'
}

function toCursor(cursors: unknown): Y.RelativePosition | undefined {
  const [first] = Array.isArray(cursors) ? cursors : []
  if (!isRecord(first) || !isRecord(first.head)) return undefined
  const { item, type, assoc } = first.head
  const place = { item: toItemId(item), type: toItemId(type), assoc: assoc === -1 ? -1 : 0 }
  // In another client's format it is not known where they are. Names of types are left out: to look one up makes it.
  return place.item || place.type ? Y.createRelativePositionFromJSON(place) : undefined
}

function toItemId(value: unknown): { readonly client: number; readonly clock: number } | undefined {
  if (!isRecord(value)) return undefined
  const { client, clock } = value
  return isCount(client) && isCount(clock) ? { client, clock } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function cellOf(cursor: Y.RelativePosition, doc: Y.Doc): string | undefined {
  return idOf(placeOf(cursor, doc)?.type.parent)
}

function placeOf(cursor: Y.RelativePosition, doc: Y.Doc): Y.AbsolutePosition | undefined {
  try {
    return Y.createAbsolutePositionFromRelativePosition(cursor, doc) ?? undefined
  } catch {
    // It points to what this document cannot have.
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
