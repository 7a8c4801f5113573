import type { LayoutNode } from './layout.ts'
import { sameValue } from './same-value.ts'
import { writeValue } from './write-value.ts'

/** How far ahead an item that has moved up is looked for. */
const REACH = 200

/** A list in brackets with other items than before: those that stay keep what is written around them. */
export function rewriteArray(
  text: string,
  node: LayoutNode,
  before: readonly unknown[],
  after: readonly unknown[],
): string {
  const pieces = piecesOf(text, node)
  const [first] = pieces
  const last = pieces.at(-1)
  if (!first || !last || after.length === 0 || pieces.some(hasStrayComma)) return writeValue(after)
  const kept = keptItems(before, after)
  const lineStart = /\n[ \t]*$/.exec(pieces[1]?.lead ?? first.lead)?.[0]
  let written = '['
  let comment = ''
  for (const [at, value] of after.entries()) {
    const piece = pieces[kept[at] ?? -1]
    const staysFirst = (at === 0) === (piece === first)
    const lead =
      piece && (staysFirst || piece.lead.includes('\n'))
        ? piece.lead
        : (lineStart ?? (at === 0 ? first.lead : ' '))
    const comma = at < after.length - 1 || last.hasComma ? ',' : ''
    // Behind a comment only a new line is read.
    written += `${comment && !lead.includes('\n') ? '\n' : ''}${lead}${piece?.body ?? writeValue(value)}${comma}`
    comment = piece?.comment ?? ''
    written += comment
  }
  return written + text.slice(last.end, node.value.end)
}

/** For each new item the old one that it is, if it still follows those before it. */
function keptItems(before: readonly unknown[], after: readonly unknown[]): readonly (number | undefined)[] {
  let cursor = 0
  return after.map((value) => {
    const ahead = before.slice(cursor, cursor + REACH).findIndex((old) => sameValue(old, value))
    if (ahead === -1) return undefined
    cursor += ahead + 1
    return cursor - 1
  })
}

function hasStrayComma({ lead }: Piece): boolean {
  return lead.replace(/#[^\r\n]*/g, '').includes(',')
}

interface Piece {
  /** Between the item before and this one: blanks, lines, comments. */
  readonly lead: string
  readonly body: string
  readonly hasComma: boolean
  /** Behind the comma, on the same line. */
  readonly comment: string
  readonly end: number
}

const AFTER_ITEM = /^(?:[ \t]*(,))?([ \t]*#[^\r\n]*)?/

function piecesOf(text: string, node: LayoutNode): readonly Piece[] {
  const pieces: Piece[] = []
  let start = node.value.start + 1
  for (const { value } of node.children) {
    const [whole = '', comma = '', comment = ''] =
      AFTER_ITEM.exec(text.slice(value.end, node.value.end)) ?? []
    pieces.push({
      lead: text.slice(start, value.start),
      body: text.slice(value.start, value.end),
      hasComma: comma !== '',
      comment,
      end: value.end + whole.length,
    })
    start = value.end + whole.length
  }
  return pieces
}
