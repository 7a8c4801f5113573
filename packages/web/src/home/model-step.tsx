import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { buttonLook } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { Step } from './first-minute.tsx'

export interface ModelStepProps {
  /** What providers need, as the service names it. */
  readonly settings: readonly string[]
  /** Providers that can be used. */
  readonly ready: readonly (string | undefined)[]
  readonly isNext: boolean
}

const NAMED = 3

/** Where a key goes; the service says which there are, and whether one is there. */
export function ModelStep({ settings, ready, isNext }: ModelStepProps) {
  const [first, ...others] = settings
  const isReady = ready.length > 0
  return (
    <Step
      number={3}
      title="Give your agents a model"
      isNext={isNext}
      isDone={isReady}
      action={
        isReady && (
          <Link
            to="/agents"
            search={{ new: true } as never}
            className={buttonLook({ kind: isNext ? 'primary' : 'plain' })}
          >
            Make an agent <ArrowRight aria-hidden />
          </Link>
        )
      }
    >
      {isReady ? (
        `A key is there: ${ready.join(', ')}.`
      ) : (
        <>
          The guide follows fixed rules. Your own agents think with a model of your choice.
          <details open={isNext} className="mt-1">
            <summary className="cursor-pointer rounded-sm font-medium text-accent">
              Where to put its key
            </summary>
            <div className="flex flex-col gap-2 pt-2">
              <p>Stop Quire, and start it with the key in its environment:</p>
              {first !== undefined && (
                <Code text={`${first}="your key" npm start`} label="how to start Quire with a key" />
              )}
              <p className="wrap-anywhere">
                {others.length > 0 && `In its place: ${others.slice(0, NAMED).join(', ')} and others. `}
                Models on this machine (Ollama, LM Studio) need no key: name one when you{' '}
                <Link to="/agents" search={{ new: true } as never} className="text-accent underline">
                  make an agent
                </Link>
                .
              </p>
            </div>
          </details>
        </>
      )}
    </Step>
  )
}
