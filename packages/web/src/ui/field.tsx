import { type ComponentProps, type ReactNode, useId } from 'react'
import { joinClasses } from './join-classes.ts'

const INPUT =
  'w-full rounded-md border bg-surface px-3 text-sm placeholder:text-quiet aria-invalid:border-bad'

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly isRequired?: boolean
  /** Gets the ids that tie it to its label, hint and error. */
  readonly children: (ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, hint, error, isRequired = false, children }: FieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {isRequired && <span className="text-bad"> *</span>}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined })}
      <p id={`${id}-hint`} className={joinClasses('text-sm empty:hidden', error ? 'text-bad' : 'text-quiet')}>
        {error ?? hint}
      </p>
    </div>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={joinClasses(INPUT, 'h-9', className)} {...rest} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={joinClasses(INPUT, 'min-h-20 py-2', className)} {...rest} />
}

export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={joinClasses(INPUT, 'h-9 pr-8', className)} {...rest} />
}
