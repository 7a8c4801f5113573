import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './state.tsx'

export interface FormDialogProps {
  readonly title: string
  readonly description?: ReactNode
  /** What the button says that sends it. */
  readonly action: string
  readonly isUnsent: boolean
  readonly isBusy?: boolean
  /** Without it the button cannot be pressed. */
  readonly isComplete?: boolean
  /** Why it was not taken, where no field says so. */
  readonly error?: unknown
  readonly onSend: () => void
  readonly onClose: () => void
  /** The fields. */
  readonly children: ReactNode
}

/** Fields, and a button that sends them. */
export function FormDialog({
  title,
  description,
  action,
  isUnsent,
  isBusy = false,
  isComplete = true,
  error,
  onSend,
  onClose,
  children,
}: FormDialogProps) {
  const form = useId()
  function submit(event: FormEvent): void {
    event.preventDefault()
    onSend()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={form} kind="primary" isBusy={isBusy} disabled={!isComplete}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog title={title} description={description} isUnsent={isUnsent} onClose={onClose} actions={actions}>
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {error !== null && error !== undefined && <Failure error={error} />}
      </form>
    </Dialog>
  )
}
