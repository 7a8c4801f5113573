import { useState } from 'react'
import { Button } from './button.tsx'
import { joinClasses } from './join-classes.ts'

export interface LongTextProps {
  readonly text: string
  /** How many characters are shown at first. */
  readonly most?: number
  readonly className?: string
}

const MOST = 4_000

/** A text as it came, line by line; a very long one is shown whole when it is asked for. */
export function LongText({ text, most = MOST, className }: LongTextProps) {
  const [isWhole, setWhole] = useState(text.length <= most)
  return (
    <div className="flex flex-col gap-2">
      <p className={joinClasses('break-words whitespace-pre-wrap', className)}>
        {isWhole ? text : `${text.slice(0, most)} …`}
      </p>
      {!isWhole && (
        <Button size="small" className="self-start" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </div>
  )
}
