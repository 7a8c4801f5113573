import type { Redactor } from '@quire/kit/redact'
import { z } from 'zod'

/** What a server said, fit for an error text: one line, at most 200 characters, no control characters, no secrets of ours. Empty when it said nothing readable. */
export type Quote = (text: string) => string

const MAX_QUOTE = 200
const UNPRINTABLE = /[\s\p{C}]+/gu
const Message = z.object({ message: z.string() })

export function createQuote(redactor: Redactor): Quote {
  return (text) => {
    const line = redactor.text(sentenceIn(text)).replace(UNPRINTABLE, ' ').trim()
    return line.slice(0, MAX_QUOTE).toWellFormed().trim()
  }
}

function sentenceIn(text: string): string {
  if (isPage(text)) return /<title>([^<]{1,200})<\/title>/i.exec(text)?.[1] ?? ''
  try {
    const { data } = Message.safeParse(JSON.parse(text))
    return data?.message ?? text
  } catch {
    // Not JSON: the text speaks for itself.
    return text
  }
}

export function isPage(text: string): boolean {
  return text.trimStart().startsWith('<')
}
