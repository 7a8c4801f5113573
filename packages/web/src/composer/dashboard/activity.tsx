import type { DroppedMessage, MetricsMessage } from '@quire/composer/contract'
import { useState } from 'react'
import { useSocket } from '../../services/use-socket.ts'
import { Figure } from '../../ui/card.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { meanBetween, mostOf, NO_DURATIONS } from '../latency.ts'
import { useDurations } from '../use-durations.ts'
import { addRates, MOST_RATES, type Rates } from './rates.ts'

const UNKNOWN = '–'

/** What is going on now: a number a second from the service, and how it went in the last minute. */
export function Activity() {
  const [rates, setRates] = useState<Rates>()
  const state = useSocket('composer', '/ws/metrics', (data) => {
    const message = data as MetricsMessage | DroppedMessage
    if (message.type === 'metrics') setRates((before) => addRates(before, message))
  })
  const { calls = [], errors = [], last } = rates ?? {}
  return (
    <section aria-label="Activity" className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        <Figure
          label="Calls a second"
          value={toRate(calls.at(-1))}
          note={
            <>
              <Sparkline values={calls} room={MOST_RATES} label="Calls a second in the last minute" />
              {last && `${last.tool_invocations_total.toLocaleString()} in all`}
            </>
          }
        />
        <Figure
          label="Errors a second"
          value={toRate(errors.at(-1))}
          note={
            <>
              <Sparkline values={errors} room={MOST_RATES} label="Errors a second in the last minute" />
              {last && `${last.tool_errors_total.toLocaleString()} in all`}
            </>
          }
        />
        <LatencyFigure />
        <Figure
          label="Processor"
          value={last ? `${last.cpu_percent.toFixed(1)} %` : UNKNOWN}
          note={last && `of one core; memory ${last.memory_percent.toFixed(1)} %`}
        />
      </div>
      {state === 'away' && (
        <p role="status" className="text-sm text-warn">
          The connection is lost and is being made again: these numbers are of before.
        </p>
      )}
    </section>
  )
}

function LatencyFigure() {
  const { data = NO_DURATIONS } = useDurations()
  const mean = meanBetween(NO_DURATIONS, data)
  if (mean === null)
    return <Figure label="Latency of calls" value={UNKNOWN} note="No call has been measured." />
  const most = mostOf(data)
  const atMost = Number.isFinite(most) ? `up to ${toMs(most)}` : 'more than is counted'
  return (
    <Figure
      label="Latency of calls"
      value={toMs(mean)}
      note={`on average since the start; 95 of 100 took ${atMost}`}
    />
  )
}

function toRate(rate: number | undefined): string {
  if (rate === undefined) return UNKNOWN
  return rate >= 10 || rate === 0 ? rate.toFixed(0) : rate.toFixed(1)
}

function toMs(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}
