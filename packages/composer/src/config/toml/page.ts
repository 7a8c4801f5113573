import type { Layout, LayoutNode, Section, Span } from './layout.ts'

/** A text by its lines, and which comments go with what: those directly above it, without a blank line between. */
export interface Page {
  readonly newline: string
  /** Behind the line break. */
  lineEnd(offset: number): number
  /** The lines of an entry, its comments included. */
  entry(node: LayoutNode): Span
  /** The lines of all below a header and of the header itself. What stands apart, behind a blank line, is not of it. */
  block(section: Section): Span
  /** The same, and the blank lines behind it. */
  withBlanks(span: Span): Span
}

export function createPage(text: string, layout: Layout): Page {
  const commentStarts = new Set(layout.comments.map(({ start }) => start))
  const headers = new Set(layout.sections.map(({ header }) => header.start))

  function lineStart(offset: number): number {
    return text.lastIndexOf('\n', offset - 1) + 1
  }

  function lineEnd(offset: number): number {
    const at = text.indexOf('\n', offset)
    return at === -1 ? text.length : at + 1
  }

  function firstOf(line: number): number {
    let at = line
    while (text[at] === ' ' || text[at] === '\t') at += 1
    return at
  }

  /** Comments that begin the file are the file's own. */
  function leadStart(offset: number): number {
    const own = lineStart(offset)
    let start = own
    while (start > 0) {
      const above = lineStart(start - 1)
      if (!commentStarts.has(firstOf(above))) return start
      start = above
    }
    return own
  }

  function blockEnd(section: Section): number {
    const last = section.nodes.at(-1)
    const end = lineEnd(last ? last.value.end : section.header.end)
    let below = end
    while (below < text.length && commentStarts.has(firstOf(below))) below = lineEnd(below)
    return headers.has(firstOf(below)) ? end : below
  }

  return Object.freeze({
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    lineEnd,
    entry: (node: LayoutNode) => ({ start: leadStart(node.key.start), end: lineEnd(node.value.end) }),
    block: (section: Section) => ({ start: leadStart(section.header.start), end: blockEnd(section) }),
    withBlanks({ start, end }: Span) {
      let last = end
      while (last < text.length && text.slice(last, lineEnd(last)).trim() === '') last = lineEnd(last)
      return { start, end: last }
    },
  })
}
