import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { joinClasses } from './join-classes.ts'

const look = cva(
  'inline-flex items-center gap-1.5 rounded-full border px-2 py-0.5 text-xs font-medium whitespace-nowrap',
  {
    variants: {
      tone: {
        good: 'text-good border-good/40 bg-good/10',
        warn: 'text-warn border-warn/40 bg-warn/10',
        bad: 'text-bad border-bad/40 bg-bad/10',
        busy: 'text-busy border-busy/40 bg-busy/10',
        quiet: 'text-quiet bg-raised',
      },
    },
    defaultVariants: { tone: 'quiet' },
  },
)

export type Tone = NonNullable<VariantProps<typeof look>['tone']>

export interface BadgeProps extends ComponentProps<'span'>, VariantProps<typeof look> {}

export function Badge({ tone, className, ...rest }: BadgeProps) {
  return <span className={joinClasses(look({ tone }), className)} {...rest} />
}
