import { CircleAlert, Info, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { joinClasses } from '../../ui/join-classes.ts'
import type { ChatView } from './chat-view.ts'

const CANCELLED = 409
const GO_ON = 'Please continue.'

export interface ChatNoticeProps {
  readonly view: ChatView
  /** Where to read more about what went wrong. */
  readonly help?: ReactNode
  readonly onSend: (text: string) => void
}

/** What stands between the last answer and the next question: a lost connection, or why the answer is not whole. */
export function ChatNotice({ view, help, onSend }: ChatNoticeProps) {
  const { isAway, problem, items, phase } = view
  if (isAway)
    return (
      <p role="status" className="flex items-center gap-2 text-sm text-warn">
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        The connection was lost. The answer goes on without it, and is joined again by itself …
      </p>
    )
  if (problem === undefined || phase === 'running') return undefined
  const isCalm = problem.status === CANCELLED && problem.unsent === undefined
  const question = items.findLast((item) => item.kind === 'question')?.text
  const canAskAgain = phase === 'idle' && problem.unsent === undefined && question !== undefined
  const Icon = isCalm ? Info : CircleAlert
  return (
    <div
      role={isCalm ? 'status' : 'alert'}
      className={joinClasses(
        'flex items-start gap-3 rounded-lg border p-3 text-sm',
        isCalm ? 'bg-raised' : 'border-bad/40 bg-bad/10',
      )}
    >
      <Icon
        className={joinClasses('mt-0.5 size-4 shrink-0', isCalm ? 'text-quiet' : 'text-bad')}
        aria-hidden
      />
      <div className="flex min-w-0 flex-col items-start gap-2">
        <p className="break-words whitespace-pre-wrap">
          {problem.detail} {help}
        </p>
        {problem.retryAfter !== undefined && (
          <p className="text-quiet">It may be tried again after {problem.retryAfter} s.</p>
        )}
        {canAskAgain && (
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => onSend(question)}>
              Try again
            </Button>
            {items.at(-1)?.kind === 'answer' && (
              <Button size="small" onClick={() => onSend(GO_ON)}>
                Continue
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
