import type { Token } from 'marked'
import { memo, useState } from 'react'
import { joinClasses } from '../join-classes.ts'
import { Block } from './block.tsx'
import { createBlockLexer } from './block-lexer.ts'

export interface MarkdownProps {
  readonly text: string
  readonly className?: string
}

const TOGETHER = 32

/** Markdown as elements of ours: nothing in the text becomes HTML, and nothing is loaded from elsewhere. */
export const Markdown = memo(function Markdown({ text, className }: MarkdownProps) {
  const [lex] = useState(createBlockLexer)
  const { finished, open } = lex(text)
  const whole = Math.floor(finished.length / TOGETHER)
  return (
    <div dir="auto" className={joinClasses('flex min-w-0 flex-col gap-3 wrap-anywhere', className)}>
      {Array.from({ length: whole }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end, so its blocks stay in place
        <Finished key={index} tokens={finished} from={index * TOGETHER} />
      ))}
      {[...finished.slice(whole * TOGETHER), ...open].map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Block key={whole * TOGETHER + index} token={token} />
      ))}
    </div>
  )
})

interface FinishedProps {
  readonly tokens: readonly Token[]
  readonly from: number
}

/** Of a long text that grows, what is whole is looked at once, and laid out by itself. */
const Finished = memo(
  function Finished({ tokens, from }: FinishedProps) {
    return (
      <div className="flex min-w-0 flex-col gap-3 contain-layout">
        {tokens.slice(from, from + TOGETHER).map((token, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stay as they are
          <Block key={index} token={token} />
        ))}
      </div>
    )
  },
  (before, now) => before.tokens[before.from] === now.tokens[now.from],
)
