import type { Tool } from '@modelcontextprotocol/client'

const MAX_PARTS = 100_000

/**
 * What a person who reads a definition does not see and a model does: control, zero-width, bidirectional and tag characters. Tabs and line
 * ends are innocent, and so is the joiner within an emoji.
 */
const UNSEEN =
  /\p{Co}|[\u{e0100}-\u{e01ef}]|(?![\t\n\r])\p{Cc}|(?!\u200d)\p{Cf}|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/u

/** Whether anything in a definition, however deep, hides from its reader; so does a definition that has no end. */
export function suspiciousText(tool: Tool): boolean {
  const pending: unknown[] = [tool]
  for (let parts = 0; pending.length > 0; parts += 1) {
    if (parts > MAX_PARTS) return true
    const part = pending.pop()
    if (typeof part === 'string' && UNSEEN.test(part)) return true
    if (typeof part !== 'object' || part === null) continue
    for (const [key, value] of Object.entries(part)) pending.push(key, value)
  }
  return false
}
