const encoder = new TextEncoder()

export interface CutText {
  readonly text: string
  /** Of the whole, in UTF-8. */
  readonly bytes: number
  readonly isCut: boolean
}

/**
 * Keeps the beginning and the end, because errors stand at the end, and puts a marker between them. What comes out has at most `maxBytes`
 * in UTF-8, unless the marker alone is longer; no character is cut in half.
 */
export function cutText(text: string, maxBytes: number, marker: (cut: number) => string): CutText {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { text, bytes, isCut: false }
  // The number in the marker is never longer than that of the whole text; two line breaks stand around it.
  const room = Math.max(0, maxBytes - Buffer.byteLength(marker(bytes)) - 2)
  const head = headOf(text, Math.ceil(room / 2))
  const tail = tailOf(text, Math.floor(room / 2))
  const cut = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return { text: [head, marker(cut), tail].filter((part) => part !== '').join('\n'), bytes, isCut: true }
}

function headOf(text: string, bytes: number): string {
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}

function tailOf(text: string, bytes: number): string {
  let start = text.length
  for (let left = bytes; start > 0; ) {
    const previous = isLowSurrogate(text, start - 1) ? start - 2 : start - 1
    left -= Buffer.byteLength(text.slice(previous, start))
    if (left < 0) break
    start = previous
  }
  return text.slice(start)
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff && index > 0
}
