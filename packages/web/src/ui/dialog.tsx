import { X } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { useLeaveQuestion } from './use-leave-question.ts'

export interface DialogProps {
  readonly title: string
  readonly description?: ReactNode
  /** Something was written in it: whoever closes it is asked first. */
  readonly isUnsent?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons, from the least to the most important. */
  readonly actions?: ReactNode
}

/** Open for as long as it is on the page. The browser's own: it keeps the focus, closes on Escape, and needs no styles that the page's policy would refuse. */
export function Dialog({ title, description, isUnsent = false, onClose, children, actions }: DialogProps) {
  const element = useOpenDialog(onClose)
  const id = useId()
  const [isAsking, setAsking] = useState(false)
  useLeaveQuestion(isUnsent)

  function close(): void {
    if (isUnsent) setAsking(true)
    else onClose()
  }

  function goOn(): void {
    setAsking(false)
    focusFirstField(element.current)
  }
  /** The browser closes it at a second Escape whatever it is told, unless the key itself is taken. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isUnsent) return
    event.preventDefault()
    setAsking(true)
  }
  /** Without a key: the gesture of a phone. */
  function onCancel(event: SyntheticEvent): void {
    if (!isUnsent) return
    event.preventDefault()
    setAsking(true)
  }

  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onCancel={onCancel}
      className="m-auto max-h-[90dvh] w-[min(40rem,calc(100vw-2rem))] flex-col rounded-lg border bg-surface text-ink shadow-xl backdrop:bg-black/40 open:flex"
    >
      <header className="flex items-start justify-between gap-4 border-b p-4">
        <div className="min-w-0">
          <h2 id={id} className="line-clamp-4 text-lg font-semibold break-words">
            {title}
          </h2>
          {description && <p className="text-sm text-quiet">{description}</p>}
        </div>
        <Button kind="quiet" size="icon" className="shrink-0" aria-label="Close" onClick={close}>
          <X aria-hidden />
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard */}
      <div tabIndex={0} className="flex flex-col gap-4 overflow-auto p-4">
        {children}
      </div>
      {isAsking && isUnsent ? (
        // By a key of its own: a button that became the one that sends would send at the same click.
        <footer
          key="question"
          role="alert"
          className="flex flex-wrap items-center justify-end gap-2 border-t p-4"
        >
          <p className="mr-auto text-sm">Throw away what you have written here?</p>
          <Button autoFocus onClick={goOn}>
            Go on writing
          </Button>
          <Button kind="danger" onClick={onClose}>
            Throw it away
          </Button>
        </footer>
      ) : (
        actions && <footer className="flex justify-end gap-2 border-t p-4">{actions}</footer>
      )}
    </dialog>
  )
}

function useOpenDialog(onClose: () => void) {
  const element = useRef<HTMLDialogElement>(null)
  const tellClosed = useEffectEvent(onClose)
  useLayoutEffect(() => {
    const { current } = element
    const listen = () => tellClosed()
    current?.addEventListener('close', listen)
    current?.showModal()
    focusFirstField(current)
    return () => {
      current?.removeEventListener('close', listen)
      // Taken off the page open, it would not give the focus back.
      current?.close()
    }
  }, [])
  return element
}

/** The browser would take the button that closes it. */
function focusFirstField(dialog: HTMLDialogElement | null): void {
  dialog?.querySelector<HTMLElement>('input, textarea, select')?.focus()
}

export interface ConfirmProps {
  readonly title: string
  readonly description: string
  readonly action: string
  readonly isBusy?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Before something is thrown away. */
export function Confirm({ title, description, action, isBusy = false, onConfirm, onClose }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={onClose}>Keep it</Button>
      <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
        {action}
      </Button>
    </>
  )
  return (
    <Dialog title={title} actions={actions} onClose={onClose}>
      <p>{description}</p>
    </Dialog>
  )
}
