import type { MetricsMessage } from '@quire/composer/contract'
import { useEffect, useRef, useState } from 'react'
import { type SocketState, useSocket } from '../../services/use-socket.ts'
import { createMetricsSeries, type MetricsSeries } from './series.ts'
import { useLatency } from './use-latency.ts'

export interface LiveMetrics {
  readonly state: SocketState
  readonly series: MetricsSeries
  /** Another one whenever the series has changed. */
  readonly version: number
  readonly latest: MetricsMessage | undefined
  /** How many readings the service left out, for this page was late. */
  readonly dropped: number
}

const DRAWN_EVERY_MS = 250

export function useLiveMetrics(): LiveMetrics {
  const [series] = useState(createMetricsSeries)
  const [shown, setShown] = useState({
    version: 0,
    latest: undefined as MetricsMessage | undefined,
    dropped: 0,
  })
  const next = useRef(shown)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLatency(series.addLatency)

  function receive(message: unknown): void {
    if (isMetrics(message)) {
      series.add(message)
      next.current = { ...next.current, version: next.current.version + 1, latest: message }
    } else if (isDropped(message))
      next.current = { ...next.current, dropped: next.current.dropped + message.count }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setShown(next.current)
    }, DRAWN_EVERY_MS)
  }

  const state = useSocket('composer', '/ws/metrics', receive)
  return { state, series, ...shown }
}

function isMetrics(message: unknown): message is MetricsMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'metrics'
}

function isDropped(message: unknown): message is { readonly count: number } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'dropped'
}
