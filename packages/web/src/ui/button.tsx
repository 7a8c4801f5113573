import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { joinClasses } from './join-classes.ts'

export const buttonLook = cva(
  'inline-flex items-center justify-center gap-1.5 rounded-md text-sm font-medium whitespace-nowrap select-none transition-colors disabled:opacity-50 disabled:pointer-events-none [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      kind: {
        primary: 'bg-accent text-accent-ink hover:opacity-90',
        plain: 'bg-surface border hover:bg-raised',
        quiet: 'hover:bg-raised text-quiet hover:text-ink',
        danger: 'border border-bad/50 text-bad hover:bg-bad/10',
      },
      size: { normal: 'h-9 px-3.5', small: 'h-8 px-2.5', icon: 'size-9' },
    },
    defaultVariants: { kind: 'plain', size: 'normal' },
  },
)

export interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonLook> {
  /** Something is under way: it cannot be pressed again. */
  readonly isBusy?: boolean
}

export function Button({ kind, size, isBusy = false, className, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={joinClasses(buttonLook({ kind, size }), className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy && <LoaderCircle className="animate-spin" aria-hidden />}
      {children}
    </button>
  )
}
