import type { ServerRun } from '@quire/composer/contract/server-history'
import { Asked } from '../ui/asked.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { toDuration } from '../ui/duration.ts'
import { toMoment, toRecentTime } from '../ui/time.ts'
import { useServerHistory } from './composer-queries.ts'
import { toSentence } from './to-sentence.ts'

const OUTCOMES: Readonly<Record<ServerRun['outcome'], { readonly tone: Tone; readonly label: string }>> = {
  starting: { tone: 'busy', label: 'Starting' },
  running: { tone: 'good', label: 'Running' },
  stopped: { tone: 'quiet', label: 'Stopped' },
  exited: { tone: 'quiet', label: 'Ended well' },
  failed: { tone: 'bad', label: 'Failed' },
  idle: { tone: 'quiet', label: 'Fell asleep' },
}
const STARTED: Readonly<Record<ServerRun['started_by'], string>> = {
  config: 'started by the configuration',
  request: 'started by hand',
  call: 'started for a call',
  retry: 'started again by itself',
}
const STOPPED = { config: 'stopped by the configuration', request: 'stopped by hand' } as const

/** When a server was started, how long it ran, and why it ended. */
export function ServerHistory({ server }: { readonly server: string }) {
  return (
    <Asked query={useServerHistory(server)} what="its history">
      {({ runs }) => (
        <section
          aria-label={`Starts and ends of ${server}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
          tabIndex={0}
          className="max-h-72 min-h-32 flex-1 overflow-auto rounded-md border bg-surface"
        >
          {runs.length === 0 ? (
            <p className="p-3 text-sm text-quiet">It has not been started since the composer was.</p>
          ) : (
            <ol className="divide-y">
              {runs.map((run, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two may have begun in the same moment
                <Run key={`${run.started_at} ${runs.length - index}`} run={run} />
              ))}
            </ol>
          )}
        </section>
      )}
    </Asked>
  )
}

function Run({ run }: { readonly run: ServerRun }) {
  const { tone, label } = OUTCOMES[run.outcome]
  const when = run.ended_at ?? run.started_at
  return (
    <li className="flex flex-col gap-1 px-3 py-2.5 text-sm">
      <div className="flex items-center justify-between gap-2">
        <Badge tone={tone}>{label}</Badge>
        <time dateTime={when} title={toMoment(when)} className="text-quiet tabular-nums">
          {toRecentTime(when)}
        </time>
      </div>
      {run.reason !== null && <p className="break-words">{toReason(run)}</p>}
      <p className="text-quiet">{toFacts(run).join(' · ')}</p>
    </li>
  )
}

/** A reason that leaves out how the program ended has it behind it. */
function toReason({ reason, exit_code, signal }: ServerRun): string {
  const text = reason ?? ''
  const code =
    exit_code !== null && !text.includes(`exit code ${exit_code}`) ? [`exit code ${exit_code}`] : []
  const by = signal !== null && !text.includes(signal) ? [signal] : []
  return [toSentence(text), ...code, ...by].join(' · ')
}

function toFacts({ ran_seconds, started_by, stopped_by, outcome }: ServerRun): readonly string[] {
  const lasted = outcome === 'running' ? 'up' : 'ran'
  return [
    ran_seconds === null
      ? outcome === 'starting'
        ? 'not ready yet'
        : 'was never ready'
      : `${lasted} ${toDuration(ran_seconds)}`,
    STARTED[started_by],
    ...(stopped_by === null ? [] : [STOPPED[stopped_by]]),
  ]
}
