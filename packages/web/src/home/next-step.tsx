import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ArrowRight, X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, buttonLook } from '../ui/button.tsx'
import { joinClasses } from '../ui/join-classes.ts'
import {
  FIRST_NOTEBOOK,
  hasFirstMinute,
  notebooksQuery,
  readStage,
  rememberNotebook,
  writeStage,
} from './beginning.ts'

export interface NextStepProps {
  /** Beside the pages where there is room, above them on a phone: one of the two is shown. */
  readonly place: 'side' | 'top'
}

/** Leads whoever began the first minute from page to page. */
export function NextStep({ place }: NextStepProps) {
  const { pathname } = useLocation()
  const [, showAgain] = useState(0)
  const isAtNotebook = pathname.endsWith(`/notebooks/${FIRST_NOTEBOOK}`)
  useEffect(() => {
    if (isAtNotebook) rememberNotebook()
  }, [isAtNotebook])
  if (!hasFirstMinute || readStage() !== 'begun') return undefined
  function close(): void {
    writeStage(undefined)
    showAgain((times) => times + 1)
  }
  if (isAtNotebook)
    return (
      <Step
        place={place}
        number={2}
        onClose={close}
        action={
          <Link
            to="/"
            onClick={() => writeStage('seen')}
            className={buttonLook({ kind: 'primary', size: 'small' })}
          >
            The last step <ArrowRight aria-hidden />
          </Link>
        }
      >
        The guide made this. Change the cell and run it, if you like.
      </Step>
    )
  return pathname.includes('/agents/') ? <AfterAsking place={place} onClose={close} /> : undefined
}

function AfterAsking({ place, onClose }: Pick<StepProps, 'place' | 'onClose'>) {
  const { data: notebooks = [] } = useQuery(notebooksQuery)
  const { pathname } = useLocation()
  if (notebooks.includes(FIRST_NOTEBOOK))
    return (
      <Step
        place={place}
        number={2}
        onClose={onClose}
        action={
          <Link
            to="/notebooks/$"
            params={{ _splat: FIRST_NOTEBOOK } as never}
            className={buttonLook({ kind: 'primary', size: 'small' })}
          >
            Open the notebook <ArrowRight aria-hidden />
          </Link>
        }
      >
        The notebook is there.
      </Step>
    )
  return (
    <Step place={place} number={1} onClose={onClose}>
      {pathname.includes('/c/')
        ? 'The guide is at work …'
        : 'Your request is written in the box. Press Enter to send it.'}
    </Step>
  )
}

interface StepProps extends NextStepProps {
  readonly number: number
  readonly action?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

function Step({ place, number, action, onClose, children }: StepProps) {
  const isTop = place === 'top'
  return (
    <section
      aria-label="Your first minute"
      className={joinClasses(
        'relative text-sm',
        isTop
          ? 'flex min-h-12 items-center gap-3 border-b bg-surface py-1.5 pr-11 pl-4 md:hidden'
          : 'hidden flex-col gap-3 rounded-lg border border-accent/50 bg-accent/5 p-3 md:flex',
      )}
    >
      <p role="status" className="min-w-0 flex-1">
        <span className="block font-medium">Step {number} of 3</span>
        <span className="text-quiet">{children}</span>
      </p>
      {action}
      <Button
        kind="quiet"
        size="icon"
        className={joinClasses('absolute right-1', isTop ? 'top-1/2 -translate-y-1/2' : 'top-1')}
        aria-label="Leave the first minute"
        onClick={onClose}
      >
        <X aria-hidden />
      </Button>
    </section>
  )
}
