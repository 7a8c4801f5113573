import { Lexer, type Token } from 'marked'

export interface Blocks {
  /** Cannot change any more, however the text goes on: each stays the same object. */
  readonly finished: readonly Token[]
  /** May still grow. */
  readonly open: readonly Token[]
}

interface Seen extends Blocks {
  readonly text: string
  /** Where the open ones begin. */
  readonly from: number
}

const NOTHING: Seen = Object.freeze({ text: '', from: 0, finished: [], open: [] })

/** Remembers what it was last given, so that of a text that grows only the end is looked at again. */
export function createBlockLexer(): (text: string) => Blocks {
  let seen = NOTHING
  return (given) => {
    const text = given.includes('\r') ? given.replaceAll(/\r\n?/g, '\n') : given
    if (text === seen.text) return seen
    const before = text.startsWith(seen.text) ? seen : NOTHING
    seen = goOn(before, text)
    return seen
  }
}

function goOn({ from, finished }: Seen, text: string): Seen {
  const tokens = lex(text.slice(from))
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const closed = tokens.slice(0, Math.max(last, 0))
  const length = closed.reduce((sum, { raw }) => sum + raw.length, 0)
  const isExact = text.startsWith(closed.map(({ raw }) => raw).join(''), from)
  if (closed.length === 0 || !isExact) return { text, from, finished, open: tokens }
  return { text, from: from + length, finished: [...finished, ...closed], open: tokens.slice(closed.length) }
}

const FENCED = /^(`{3,}|~{3,})[\s\S]*?^\1/gm
const MOST_SIGNS = 5_000
const DEEP = /^[ \t]{400}|^(?:[ \t]*(?:[-*+>]|\d+[.)])[ \t]){60}/m

/** The lexer's time grows with the square of the signs in one paragraph, and with the depth of lists. */
function isCostly(text: string): boolean {
  if (text.length < MOST_SIGNS && !DEEP.test(text)) return false
  return text
    .replaceAll(FENCED, '')
    .split(/\n{2,}/)
    .some((part) => DEEP.test(part) || (part.match(/[_*~`[\]<!&]/g)?.length ?? 0) > MOST_SIGNS)
}

/** What cannot be taken apart, or not soon, is shown as it was written. */
function lex(text: string): readonly Token[] {
  if (isCostly(text)) return [{ type: 'text', raw: text, text } satisfies Token]
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return [{ type: 'text', raw: text, text } satisfies Token]
  }
}
