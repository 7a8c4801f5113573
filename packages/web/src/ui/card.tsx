import type { ComponentProps, ReactNode } from 'react'
import { joinClasses } from './join-classes.ts'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={joinClasses('rounded-lg border bg-surface p-4', className)} {...rest} />
}

export interface FigureProps {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

/** One number and what it counts. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <Card className="flex flex-col gap-1">
      <span className="text-sm text-quiet">{label}</span>
      <span className="text-2xl font-semibold tabular-nums">{value}</span>
      {note !== undefined && <span className="text-sm text-quiet">{note}</span>}
    </Card>
  )
}
