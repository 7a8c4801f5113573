const CONTROL = /[^\P{Cc}\n\t]/gu
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text of others for a terminal: nothing in it moves a cursor, paints, or turns the line round. */
export function toText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '\u{fffd}').replace(DIRECTION, '')
}

/** On one line. */
export function toLine(text: string): string {
  return toText(text).replace(/\s+/g, ' ').trim()
}
