import { memo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { joinClasses } from '../../ui/join-classes.ts'
import { parseAnsi } from './ansi.ts'

export interface TerminalTextProps {
  readonly text: string
  readonly className?: string
}

const MOST_LINES = 40
const MOST_CHARACTERS = 10_000
/** More than this would hold up the page, asked for or not. */
const MOST_AT_ALL = 500_000

/** Text with the colours of a terminal. Of a long one the end is shown until the rest is asked for. */
export const TerminalText = memo(function TerminalText({ text, className }: TerminalTextProps) {
  const [isWhole, setWhole] = useState(false)
  const end = isWhole ? text.slice(-MOST_AT_ALL) : toEnd(text)
  const isCut = end.length < text.length
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      {isCut && (
        <Button size="small" onClick={() => setWhole(true)} disabled={isWhole}>
          {isWhole
            ? `The last ${MOST_AT_ALL.toLocaleString()} of ${text.length.toLocaleString()} characters`
            : `Show all ${countLines(text).toLocaleString()} lines`}
        </Button>
      )}
      <pre
        dir="ltr"
        className={joinClasses(
          'w-full font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap',
          className,
        )}
      >
        {parseAnsi(end).map(({ text: stretch, className: look }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
          <span key={index} className={look === '' ? undefined : look}>
            {stretch}
          </span>
        ))}
      </pre>
    </div>
  )
})

function toEnd(text: string): string {
  const last = text.slice(-MOST_CHARACTERS)
  const lines = last.split('\n')
  return lines.length > MOST_LINES ? lines.slice(-MOST_LINES).join('\n') : last
}

function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
