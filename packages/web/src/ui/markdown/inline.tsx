import type { MarkedToken, Token } from 'marked'
import type { ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import { isKnownToken, MOST_DEEP } from './known-token.ts'

export interface InlinesProps {
  readonly tokens: readonly Token[]
  readonly depth?: number
}

export function Inlines({ tokens, depth = 0 }: InlinesProps) {
  return tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block, which changes as a whole
    <Inline key={index} token={token} depth={depth} />
  ))
}

function Inline({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (!isKnownToken(token) || depth >= MOST_DEEP) return token.raw
  const inside = 'tokens' in token && token.tokens && <Inlines tokens={token.tokens} depth={depth + 1} />
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inside}</strong>
    case 'em':
      return <em>{inside}</em>
    case 'del':
      return <del>{inside}</del>
    case 'codespan':
      return (
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.875em] break-words">
          {token.text}
        </code>
      )
    case 'br':
      return <br />
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={token.checked}
          readOnly
          disabled
          aria-label={token.checked ? 'Done' : 'To do'}
          className="mr-2 -ml-5"
        />
      )
    case 'link':
      return <Away href={token.href}>{inside}</Away>
    case 'image':
      // What a picture is loaded from learns who reads the text.
      return <Away href={token.href}>{token.text === '' ? token.href : token.text}</Away>
    case 'text':
    case 'escape':
      return inside || decodeEntities(token.text)
    default:
      return plainOf(token)
  }
}

function plainOf(token: MarkedToken): string {
  return token.raw
}

const SAFE = /^(?:https?:|mailto:)/i

function Away({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!SAFE.test(href)) return <span title={href}>{children}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="break-words text-accent underline underline-offset-2"
    >
      {children}
    </a>
  )
}
