import { requestAhead } from './parse-wish.ts'
import type { Block } from './wish.ts'

/** One step of a request: some words, a block, or words with the block that belongs to them. */
export interface Piece {
  readonly words: string
  /** They begin as a request does. */
  readonly isRequest: boolean
  readonly block?: Block
}

/** Far more than are ever done. */
const MOST_PIECES = 32
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const NUMBERED = /^ {0,3}(?:\d{1,3}[.)]|[-*•])[ \t]{1,4}/
const THEN = /(?:[,;.][ \t]{0,3})?(?:\band[ \t]{1,3})?\bthen\b,?[ \t]{1,3}/gi

/**
 * Requests stand on lines of their own or are joined by "then". What does not begin as a request does belongs to the code or text before it, so that
 * code of several lines stays whole.
 */
export function toPieces(text: string): readonly Piece[] {
  const pieces: { words: string[]; isRequest: boolean; takesPayload: boolean; block?: Block }[] = []
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  for (let index = 0; index < lines.length && pieces.length < MOST_PIECES; index += 1) {
    const line = lines[index] ?? ''
    const last = pieces.at(-1)
    const fence = FENCE.exec(line)?.[1]
    if (fence) {
      const end = closingLine(lines, index, fence)
      const block = { code: lines.slice(index + 1, end).join('\n') }
      if (last && !last.block) last.block = block
      else pieces.push({ words: [], isRequest: false, takesPayload: false, block })
      index = end
      continue
    }
    const unnumbered = line.replace(NUMBERED, '')
    const isOpen = last !== undefined && !last.block && (last.takesPayload || !last.isRequest)
    if (requestAhead(unnumbered) && !(isOpen && last.takesPayload && /^\s/.test(line))) {
      for (const words of splitAtThen(unnumbered)) {
        const { takesPayload = false } = requestAhead(words) ?? {}
        pieces.push({ words: [words], isRequest: true, takesPayload })
      }
    } else if (isOpen) last.words.push(line)
    else if (line.trim() !== '') pieces.push({ words: [line], isRequest: false, takesPayload: false })
  }
  return pieces.map(({ words, isRequest, block }) => ({
    words: words.join('\n').trim(),
    isRequest,
    ...(block && { block }),
  }))
}

/** The end of the text closes what is left open. */
function closingLine(lines: readonly string[], open: number, fence: string): number {
  for (let index = open + 1; index < lines.length; index += 1) {
    const line = lines[index]?.trim() ?? ''
    if (line.length >= fence.length && line === fence.charAt(0).repeat(line.length)) return index
  }
  return lines.length
}

/** Only where a request follows, and not within brackets or quotes. */
function splitAtThen(line: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  let read = 0
  let state = { depth: 0, isQuoted: false }
  for (const match of line.matchAll(THEN)) {
    state = scan(line.slice(read, match.index), state)
    read = match.index
    const behind = match.index + match[0].length
    if (parts.length === MOST_PIECES) break
    if (state.depth > 0 || state.isQuoted || !requestAhead(line.slice(behind, behind + 200))) continue
    parts.push(line.slice(start, match.index))
    start = behind
  }
  return [...parts, line.slice(start)].filter((part) => part.trim() !== '')
}

function scan(text: string, { depth, isQuoted }: { depth: number; isQuoted: boolean }) {
  for (const char of text) {
    if (char === '"' || char === '`') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
  }
  return { depth, isQuoted }
}
