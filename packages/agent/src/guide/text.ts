const FIRST_SENTENCE = /^[^\n]*?[.!?](?=\s|$)/

/** Never in the middle of a character. */
function cut(text: string, most: number, marker = '…'): string {
  if (text.length <= most) return text
  return text.slice(0, boundary(text, most)) + marker
}

/** The index, or the one before it where a character of two halves would be torn. */
export function boundary(text: string, index: number): number {
  if (index >= text.length) return text.length
  const code = text.charCodeAt(index - 1)
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index
}

/** As a block that nothing in the text can end. */
export function fenced(text: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

export function firstSentence(text: string, most: number): string {
  const start = text.trimStart().slice(0, most * 2)
  const [line = ''] = start.split('\n', 1)
  return cut(FIRST_SENTENCE.exec(line)?.[0] ?? line.trimEnd(), most)
}

export function quoted(text: string, most: number): string {
  return `"${cut(
    text
      .slice(0, most * 4)
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  )}"`
}

export function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

export function bulletsOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}
