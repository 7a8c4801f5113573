import type { Invocation } from '@quire/composer/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../ui/badge.tsx'
import { toClock } from '../../ui/time.ts'

export interface Trial {
  readonly at: number
  readonly args: unknown
  readonly answer?: Invocation
  /** Why there is no answer. */
  readonly error?: unknown
}

const MOST_TRIALS = 20
const LONGEST_SHOWN = 200

/** Lives as long as the tab: arguments and results are nobody else's business. */
export function useTrialHistory(tool: string): readonly [readonly Trial[], (trial: Trial) => void] {
  const queries = useQueryClient()
  const queryKey = ['tool-trials', tool]
  const { data } = useQuery<readonly Trial[]>({
    queryKey,
    queryFn: () => [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  function remember(trial: Trial): void {
    queries.setQueryData<readonly Trial[]>(queryKey, (before = []) =>
      [trial, ...before].slice(0, MOST_TRIALS),
    )
  }
  return [data ?? [], remember]
}

export interface TrialHistoryProps {
  readonly trials: readonly Trial[]
  readonly onRecall: (trial: Trial) => void
}

export function TrialHistory({ trials, onRecall }: TrialHistoryProps) {
  if (trials.length === 0) return undefined
  return (
    <section aria-labelledby="history" className="flex flex-col gap-2">
      <h2 id="history" className="font-semibold">
        Calls of this tab
      </h2>
      <ul className="divide-y rounded-lg border bg-surface">
        {trials.map((trial) => (
          <li key={trial.at}>
            <button
              type="button"
              className="flex w-full items-center gap-3 px-3 py-2 text-left text-sm hover:bg-raised"
              onClick={() => onRecall(trial)}
            >
              <Outcome trial={trial} />
              <span className="shrink-0 text-quiet tabular-nums">{toClock(trial.at)}</span>
              <span className="min-w-0 truncate font-mono">
                {(JSON.stringify(trial.args) ?? '').slice(0, LONGEST_SHOWN)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Outcome({ trial: { answer } }: { readonly trial: Trial }) {
  if (answer === undefined) return <Badge tone="bad">Refused</Badge>
  return answer.is_error ? <Badge tone="warn">Failed</Badge> : <Badge tone="good">Done</Badge>
}
