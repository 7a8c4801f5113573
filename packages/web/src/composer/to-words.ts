const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g

/** A program and its arguments, as they are typed: one on each line, or all on one line, where quotes hold a word with blanks together. */
export function toWords(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [only = ''] = lines
  if (lines.length > 1) return lines
  return [...only.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '')
}
