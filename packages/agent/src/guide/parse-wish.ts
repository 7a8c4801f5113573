import { HELP, PHRASES } from './phrases.ts'
import { isNoise } from './readers.ts'
import type { Block, Wish } from './wish.ts'

/** How much of a text may be its head: patterns look no further. */
const LONGEST_HEAD = 200
const POLITE =
  /^[\s,]*(?:please|kindly|(?:can|could|would|will)\s+you(?:\s+please)?|now|next|finally|first|also|and|then|let\s+us|let's|i\s+want\s+(?:you\s+)?to|i\s+would\s+like\s+(?:you\s+)?to|i'd\s+like\s+(?:you\s+)?to|go\s+ahead\s+and)(?:,\s*|\s+)/i

/** Undefined: not understood. */
export function parseWish(text: string, block?: Block): Wish | undefined {
  const words = withoutManners(text)
  const start = words.slice(0, LONGEST_HEAD)
  for (const { head, read, takesPayload } of PHRASES) {
    const match = head.exec(start)
    if (!match || (block && !takesPayload)) continue
    const wish = read(words.slice(match[0].length), block, match.groups?.kind)
    if (wish) return wish
  }
  const greeting = HELP.exec(start)
  return greeting && isNoise(words.slice(greeting[0].length)) ? { kind: 'help' } : undefined
}

/** Whether a text begins as a request does that a tool answers, and whether what follows it may be anything. */
export function requestAhead(text: string): { readonly takesPayload: boolean } | undefined {
  const start = withoutManners(text.slice(0, LONGEST_HEAD))
  if (start === '') return undefined
  const phrase = PHRASES.find(({ head }) => head.test(start))
  return phrase && { takesPayload: phrase.takesPayload ?? false }
}

function withoutManners(text: string): string {
  let words = text.trimStart()
  for (let round = 0; round < 5; round += 1) {
    const polite = POLITE.exec(words.slice(0, LONGEST_HEAD))
    if (!polite) return words
    words = words.slice(polite[0].length)
  }
  return words
}
