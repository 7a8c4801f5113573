/** Text of others as a block that nothing in it can end, marked as data; what is too long is cut, and that is said. */
export function dataBlock(text: string, most: number): string {
  const shown = cutText(text, most)
  let longest = 2
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  const block = `${fence}data\n${shown}\n${fence}`
  if (shown.length === text.length) return block
  return `${block}\n(Cut: these are the first ${shown.length} of ${text.length} characters.)`
}

/** Never in the middle of a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const code = text.charCodeAt(most - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most)
}

/** What every store and every reader of JSON takes. */
export function toPlainText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
