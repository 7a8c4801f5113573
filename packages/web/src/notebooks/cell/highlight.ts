/** A stretch of code, and what it looks like. */
export interface CodePart {
  readonly text: string
  readonly className: string
}

const KEYWORDS =
  'False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield'
const PYTHON = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<string>[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    new RegExp(`(?<keyword>\\b(?:${KEYWORDS})\\b)`),
    /(?<number>\b\d[\w.]*)/,
    /(?<word>[A-Za-z_]\w*)/,
    /(?<decorator>^[ \t]*@\w[\w.]*)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
)
const LOOKS: Readonly<Record<string, string>> = {
  comment: 'text-quiet italic',
  string: 'text-good',
  keyword: 'text-accent',
  number: 'text-busy',
  decorator: 'text-warn',
}
/** Past this a text is shown in one colour. */
const MOST = 50_000

/** Good enough to see what is what; it understands nothing. */
export function highlightPython(text: string): readonly CodePart[] {
  if (text.length > MOST) return [{ text, className: '' }]
  const parts: CodePart[] = []
  let at = 0
  for (const match of text.matchAll(PYTHON)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? []
    const className = LOOKS[kind ?? '']
    if (className === undefined) continue
    if (match.index > at) parts.push({ text: text.slice(at, match.index), className: '' })
    parts.push({ text: match[0], className })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ text: text.slice(at), className: '' })
  return parts
}
