import { Link } from '@tanstack/react-router'
import type { VariantProps } from 'class-variance-authority'
import type { ReactNode } from 'react'
import { buttonLook } from './button.tsx'
import { joinClasses } from './join-classes.ts'

export interface LinkButtonProps extends VariantProps<typeof buttonLook> {
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
}

/** Goes to another page, and looks like a button. */
export function LinkButton({ to, kind, size, className, children }: LinkButtonProps) {
  return (
    <Link to={to} className={joinClasses(buttonLook({ kind, size }), className)}>
      {children}
    </Link>
  )
}
