const LONGEST = 2_000

/** Texts of components are Markdown: what tools say is shown as it is, and no more of it than a person reads. */
export function fenced(text: string): string {
  if (text === '') return ''
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${shown}\n${fence}`
}

export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}
