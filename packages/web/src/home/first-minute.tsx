import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonLook } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { joinClasses } from '../ui/join-classes.ts'
import {
  FIRST_AGENT,
  FIRST_NOTEBOOK,
  FIRST_REQUEST,
  modelsQuery,
  notebooksQuery,
  readStage,
  wasNotebookSeen,
  writeStage,
} from './beginning.ts'
import { ModelStep } from './model-step.tsx'

/** What a newcomer does first, without a key: the step that comes next is the one that stands out. */
export function FirstMinute() {
  const { data: notebooks } = useQuery(notebooksQuery)
  const { data: models } = useQuery(modelsQuery)
  const hasNotebook = notebooks?.includes(FIRST_NOTEBOOK) ?? false
  const hasModel = models !== undefined && models.ready.length > 0
  const isLast = hasNotebook && (readStage() === 'seen' || wasNotebookSeen())
  if (notebooks === undefined || models === undefined || (hasNotebook && hasModel)) return undefined
  return (
    <Card aria-labelledby="first-minute" className="flex flex-col gap-4 p-5">
      <div>
        <h2 id="first-minute" className="text-lg font-semibold">
          Your first minute
        </h2>
        <p className="text-sm text-quiet">Three steps. The first two need no key and no account.</p>
      </div>
      <ol className="flex flex-col gap-2">
        <Step
          number={1}
          title="Ask the guide to make a notebook"
          isNext={!hasNotebook}
          isDone={hasNotebook}
          action={
            <Link
              to="/agents/$id"
              params={{ id: FIRST_AGENT } as never}
              search={{ ask: FIRST_REQUEST } as never}
              onClick={() => writeStage('begun')}
              className={buttonLook({ kind: hasNotebook ? 'plain' : 'primary' })}
            >
              {hasNotebook ? 'Ask it again' : 'Ask the guide'} <ArrowRight aria-hidden />
            </Link>
          }
        >
          {hasNotebook
            ? `It made ${FIRST_NOTEBOOK}.`
            : 'The request is already written: you only press Enter. The guide makes a notebook and runs a cell in it.'}
        </Step>
        <Step
          number={2}
          title="Open the notebook"
          isNext={hasNotebook && !isLast}
          isDone={isLast}
          action={
            hasNotebook && (
              <Link
                to="/notebooks/$"
                params={{ _splat: FIRST_NOTEBOOK } as never}
                onClick={() => writeStage('begun')}
                className={buttonLook({ kind: isLast ? 'plain' : 'primary' })}
              >
                Open {FIRST_NOTEBOOK} <ArrowRight aria-hidden />
              </Link>
            )
          }
        >
          You and the agent work in it together: what one writes or runs, the other sees at once.
        </Step>
        <ModelStep settings={models.settings} ready={models.ready} isNext={isLast} />
      </ol>
    </Card>
  )
}

export interface StepProps {
  readonly number: number
  readonly title: string
  readonly isNext: boolean
  readonly isDone: boolean
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Step({ number, title, isNext, isDone, action, children }: StepProps) {
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className={joinClasses(
        'flex flex-col gap-3 rounded-lg border border-transparent p-3 sm:flex-row sm:items-center',
        isNext && 'border-accent/40 bg-accent/5',
      )}
    >
      <div className="flex min-w-0 flex-1 gap-3">
        <span
          className={joinClasses(
            'grid size-7 shrink-0 place-items-center rounded-full bg-raised text-sm font-semibold text-quiet',
            isNext && 'bg-accent text-accent-ink',
            isDone && 'bg-good/15 text-good',
          )}
        >
          {isDone ? <Check className="size-4" aria-label="Done" /> : number}
        </span>
        <div className="min-w-0">
          <h3 className="font-medium">{title}</h3>
          <div className="max-w-prose text-sm text-quiet">{children}</div>
        </div>
      </div>
      {action && <div className="pl-10 sm:pl-0">{action}</div>}
    </li>
  )
}
