/** `*` is any run of characters, `?` is one; everything else is itself. The time is bounded by the product of the lengths, whatever the pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let resumeAt = 0
  while (at < text.length) {
    const wanted = pattern[inPattern]
    if (wanted === '*') {
      star = inPattern
      resumeAt = at
      inPattern += 1
    } else if (wanted === '?') {
      at += widthAt(text, at)
      inPattern += 1
    } else if (wanted === text[at]) {
      at += 1
      inPattern += 1
    } else if (star >= 0) {
      resumeAt += widthAt(text, resumeAt)
      at = resumeAt
      inPattern = star + 1
    } else {
      return false
    }
  }
  while (pattern[inPattern] === '*') inPattern += 1
  return inPattern === pattern.length
}

export function matchesAnyGlob(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text))
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}
