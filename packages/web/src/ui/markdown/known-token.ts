import type { MarkedToken, Token } from 'marked'

/** Deeper than anybody writes, and less than a browser's stack. */
export const MOST_DEEP = 24

const KINDS: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
])

/** One of the lexer's own, not of an extension. */
export function isKnownToken(token: Token): token is MarkedToken {
  return KINDS.has(token.type)
}
