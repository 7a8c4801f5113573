import { type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'

export interface ModalProps {
  readonly title: string
  /** What is pressed to see more. */
  readonly trigger: (open: () => void) => ReactNode
  readonly children: ReactNode
}

export function Modal({ title, trigger, children }: ModalProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {trigger(() => setOpen(true))}
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      )}
    </>
  )
}
