import { Fragment } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'
import { type DifferenceLine, differ } from './line-difference.ts'

export interface DifferenceProps {
  readonly before: string
  readonly after: string
  readonly label: string
}

const LOOKS = {
  same: { sign: ' ', className: 'text-quiet', said: '' },
  added: { sign: '+', className: 'bg-good/10 text-good', said: 'added: ' },
  removed: { sign: '−', className: 'bg-bad/10 text-bad', said: 'removed: ' },
} as const
/** Unchanged lines that are shown beside changed ones. */
const AROUND = 3

/** What a change takes out and puts in, with a few lines around it. */
export function Difference({ before, after, label }: DifferenceProps) {
  const lines = differ(before, after)
  const shown = lines
    .map((line, index) => isNearChange(lines, index) && { line, index })
    .filter((one) => one !== false)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-md border bg-raised py-2 font-mono text-[0.8125rem]"
    >
      <div className="w-max min-w-full">
        {shown.length === 0 && <p className="px-3 font-sans text-quiet">There is no difference.</p>}
        {shown.map(({ line, index }, place) => (
          <Fragment key={index}>
            {place > 0 && shown[place - 1]?.index !== index - 1 && <p className="px-3 text-quiet">⋯</p>}
            <Line line={line} />
          </Fragment>
        ))}
      </div>
    </section>
  )
}

function Line({ line: { kind, text, oldLine, newLine } }: { readonly line: DifferenceLine }) {
  const { sign, className, said } = LOOKS[kind]
  return (
    <p className={joinClasses('flex whitespace-pre', className)}>
      <span aria-hidden className="w-12 shrink-0 pr-2 text-right text-quiet tabular-nums select-none">
        {newLine ?? oldLine}
      </span>
      <span aria-hidden className="w-5 shrink-0 select-none">
        {sign}
      </span>
      <span className="sr-only">{said}</span>
      <span className="pr-3">{text}</span>
    </p>
  )
}

function isNearChange(lines: readonly DifferenceLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same')
}
