import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { joinClasses } from './join-classes.ts'

export interface CodeProps {
  readonly text: string
  /** Said to screen readers. */
  readonly label: string
  readonly className?: string
}

const SHOWN_MS = 1_500

/** The button has a column of its own, so that it covers nothing, however long the lines are. */
export function Code({ text, label, className }: CodeProps) {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <div className={joinClasses('flex min-w-0 rounded-md border bg-raised', className)}>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-auto rounded-l-md p-3 -outline-offset-2"
      >
        <pre className="w-max font-mono text-[0.8125rem]">{text}</pre>
      </section>
      <Button
        kind="quiet"
        size="icon"
        className="m-1 size-8 shrink-0"
        aria-label={isCopied ? 'Copied' : `Copy ${label}`}
        onClick={() => void copy()}
      >
        {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </Button>
    </div>
  )
}

export function toPrettyJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? ''
}
