export interface MatchRequest {
  readonly pattern: string
  readonly flags: string
  readonly texts: readonly string[]
  readonly limit: number
}

export interface Match {
  /** Which of the texts. */
  readonly text: number
  /** Counted from 1. */
  readonly line: number
  readonly excerpt: string
}

export interface Matches {
  readonly matches: readonly Match[]
  readonly total: number
}

/** Its source text is also run in a worker, so it uses nothing from outside its body. */
export function findMatches({ pattern, flags, texts, limit }: MatchRequest): Matches {
  const maxTotal = 10_000
  const maxExcerpt = 200
  const expression = new RegExp(pattern, flags)
  const matches: Match[] = []
  let total = 0
  for (const [position, text] of texts.entries()) {
    let line = 1
    let lineStart = 0
    for (const { index, 0: found } of text.matchAll(expression)) {
      if (found === '') continue
      total += 1
      if (total >= maxTotal) return { matches, total }
      if (matches.length >= limit) continue
      for (let end = text.indexOf('\n', lineStart); end !== -1 && end < index; ) {
        line += 1
        lineStart = end + 1
        end = text.indexOf('\n', lineStart)
      }
      const lineEnd = text.indexOf('\n', lineStart)
      const last = lineEnd === -1 ? text.length : lineEnd
      const start = last - lineStart <= maxExcerpt ? lineStart : Math.max(lineStart, index - maxExcerpt / 4)
      const excerpt = text.slice(start, Math.min(last, start + maxExcerpt)).toWellFormed()
      matches.push({ text: position, line, excerpt })
    }
  }
  return { matches, total }
}
