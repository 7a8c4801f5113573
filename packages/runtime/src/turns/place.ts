/** How much of a turn was sent: all slots before this one, and of a text in it so many characters. Slots begin at 1. */
export interface Place {
  readonly slot: number
  readonly offset: number
}

export const BEGINNING: Place = Object.freeze({ slot: 0, offset: 0 })

const PLACE = /^(.{1,200})\.(\d{1,9})\.(\d{1,12})$/s

export function formatPlace(turnId: string, slot: number, offset: number): string {
  return `${turnId}.${slot}.${offset}`
}

/** Undefined for whatever is no place of this turn. */
export function parsePlace(turnId: string, text: string): Place | undefined {
  const [, id, slot, offset] = PLACE.exec(text) ?? []
  return id === turnId ? { slot: Number(slot), offset: Number(offset) } : undefined
}
