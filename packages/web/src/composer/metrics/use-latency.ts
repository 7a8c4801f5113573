import { useEffect, useRef } from 'react'
import { type Durations, meanBetween } from '../latency.ts'
import { useDurations } from '../use-durations.ts'

/** How long calls of tools take: what the service counts, from one look to the next. */
export function useLatency(onChange: (milliseconds: number | null) => void): void {
  const before = useRef<Durations>(undefined)
  const { data } = useDurations()
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is one point, whoever hears of it
  useEffect(() => {
    if (data === undefined) return
    if (before.current !== undefined) onChange(meanBetween(before.current, data))
    before.current = data
  }, [data])
}
