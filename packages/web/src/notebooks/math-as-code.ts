/** Code is left alone: what is in it is no formula. */
const CODE =
  /^(?: {4}|\t).*$|^( {0,3})(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|$(?![\s\S]))|(`+)(?!`)[\s\S]{0,1000}?[^`]\3(?!`)/
/** Formulas are short: without an end in sight, a long text would be read again from each of its signs. */
const BLOCK = /\$\$([\s\S]{1,2000}?)\$\$|\\\[([\s\S]{1,2000}?)\\\]/
/** As pandoc has it, so that sums of money stay what they are. */
const INLINE = /\\\$|\$(?![\s$])((?:\\.|[^$\\\n]){0,300}?[^\s\\$])\$(?!\d)|\\\((.{1,300}?)\\\)/
const ALL = new RegExp([CODE, BLOCK, INLINE].map(({ source }) => source).join('|'), 'gm')
const MOST = 50_000

/** Formulas in Markdown become code: so no underscore or star in them is taken for emphasis, and they read as they were written. */
export function mathAsCode(text: string): string {
  if (text.length > MOST || !/[$\\]/.test(text)) return text
  return text.replace(ALL, (match, ...groups: (string | undefined)[]) => {
    const [, , , dollars, brackets, inline, parentheses] = groups
    const block = dollars ?? brackets
    if (block !== undefined) return `\n\n${fence(block)}${block.trim()}\n${fence(block).trimEnd()}\n\n`
    const formula = inline ?? parentheses
    if (formula === undefined) return match
    const ticks = '`'.repeat(longestRun(formula) + 1)
    return `${ticks} ${formula} ${ticks}`
  })
}

function fence(text: string): string {
  return `${'`'.repeat(Math.max(3, longestRun(text) + 1))}\n`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
}
