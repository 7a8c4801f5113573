import { joinClasses } from './join-classes.ts'

export interface ProgressPart {
  readonly value: number
  readonly className: string
}

export interface ProgressProps {
  readonly label: string
  /** What is said in place of a number of percent. */
  readonly text: string
  readonly max: number
  readonly parts: readonly ProgressPart[]
  readonly className?: string
}

/** A bar of one or several parts. */
export function Progress({ label, text, max, parts, className }: ProgressProps) {
  const sum = parts.reduce((total, { value }) => total + value, 0)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(sum, max)}
      aria-valuetext={text}
      className={joinClasses('flex h-1.5 w-full overflow-hidden rounded-full bg-raised', className)}
    >
      {parts.map(({ value, className: colour }) => (
        <span key={colour} className={colour} style={{ width: `${max === 0 ? 0 : (value / max) * 100}%` }} />
      ))}
    </div>
  )
}
