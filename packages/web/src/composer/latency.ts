/** How long calls of tools took, over all tools and since the composer's start, as it counts them for Prometheus. */
export interface Durations {
  readonly seconds: number
  readonly calls: number
  /** How many calls took at most so many seconds. */
  readonly buckets: ReadonlyMap<number, number>
}

const SAMPLE = /^mcp_tool_invocation_duration_seconds_(bucket|sum|count)(?:\{(.*)\})? (\S+)$/
const MOST = 0.95

/** From the text of `/metrics`. */
export function readDurations(metrics: string): Durations {
  let [seconds, calls] = [0, 0]
  const buckets = new Map<number, number>()
  for (const line of metrics.split('\n')) {
    const [, kind, labels = '', number] = SAMPLE.exec(line) ?? []
    const value = Number(number)
    if (kind === 'sum') seconds += value
    else if (kind === 'count') calls += value
    else if (kind === 'bucket') {
      const [, bound = ''] = /(?:^|,)le="([^"]*)"/.exec(labels) ?? []
      const most = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
      buckets.set(most, (buckets.get(most) ?? 0) + value)
    }
  }
  return { seconds, calls, buckets }
}

/** The mean of those that ended in between, in milliseconds; none where no call ended, or the service was started again. */
export function meanBetween(before: Durations, now: Durations): number | null {
  const calls = now.calls - before.calls
  return calls <= 0 ? null : ((now.seconds - before.seconds) / calls) * 1_000
}

/** 95 of 100 calls took at most so many milliseconds. Infinity: longer than the largest that is counted. */
export function mostOf({ calls, buckets }: Durations): number {
  const bounds = [...buckets.keys()].sort((one, other) => one - other)
  const most = bounds.find((bound) => (buckets.get(bound) ?? 0) >= calls * MOST)
  return (most ?? Number.POSITIVE_INFINITY) * 1_000
}

export const NO_DURATIONS: Durations = Object.freeze({ seconds: 0, calls: 0, buckets: new Map() })
