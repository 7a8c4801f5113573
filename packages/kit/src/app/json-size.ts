/**
 * How deep a JSON text is nested, and about how many values it holds. Counts punctuation outside of strings: cheaper than parsing, and it comes
 * before anything recursive does. Stops as soon as the depth limit is passed.
 */
export function measureJson(text: string, depthLimit: number): { depth: number; values: number } {
  let depth = 0
  let deepest = 0
  let values = 0
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        values += 1
        if (depth > deepest) deepest = depth
        if (deepest > depthLimit) return { depth: deepest, values }
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
        values += 1
        break
    }
  }
  return { depth: deepest, values }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(position - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}
