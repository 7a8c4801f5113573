import type { MetricsMessage } from '@quire/composer/contract'

export const MEASURES = [
  'calls',
  'errors',
  'requests',
  'latency',
  'cpu',
  'memory',
  'servers',
  'tools',
] as const
export type Measure = (typeof MEASURES)[number]
export type Column = readonly (number | null)[]

export interface MetricsSeries {
  /** Seconds since 1970, rising, at most one for each second. */
  readonly times: readonly number[]
  readonly columns: Readonly<Record<Measure, Column>>
  add(message: MetricsMessage): void
  /** Of the calls that ended lately, in milliseconds. */
  addLatency(milliseconds: number | null): void
}

export const KEPT_SECONDS = 600
/** After a longer silence nothing is known of the time between. */
const LONGEST_SILENCE_SECONDS = 5

/** Ten minutes of numbers, one point a second however often they come: what the page holds does not grow. */
export function createMetricsSeries(): MetricsSeries {
  const times: number[] = []
  const columns: Record<Measure, (number | null)[]> = {
    calls: [],
    errors: [],
    requests: [],
    latency: [],
    cpu: [],
    memory: [],
    servers: [],
    tools: [],
  }
  /** Of the second before, against which rates are taken. */
  let previous: MetricsMessage | undefined
  let current: MetricsMessage | undefined
  let latency: number | null = null

  function add(message: MetricsMessage): void {
    const second = Math.floor(Date.parse(message.timestamp) / 1_000)
    const last = times.at(-1)
    if (last !== undefined && second < last) {
      // A clock that was set right is waited for; one that was set back would leave what was drawn in the future.
      if (last - second <= LONGEST_SILENCE_SECONDS) return
      reset()
    }
    if (second === times.at(-1)) dropLast()
    else {
      if (last !== undefined && second - last > LONGEST_SILENCE_SECONDS) push(second - 1, EMPTY)
      previous = current
    }
    push(second, { ...toValues(message, previous), latency })
    current = message
    const tooOld = times.findIndex((time) => time > second - KEPT_SECONDS)
    if (tooOld > 0) for (const column of [times, ...Object.values(columns)]) column.splice(0, tooOld)
  }

  function push(second: number, values: Readonly<Record<Measure, number | null>>): void {
    times.push(second)
    for (const measure of MEASURES) columns[measure].push(values[measure])
  }

  function dropLast(): void {
    times.pop()
    for (const measure of MEASURES) columns[measure].pop()
  }

  function reset(): void {
    for (const column of [times, ...Object.values(columns)]) column.length = 0
    current = undefined
    previous = undefined
  }

  return {
    times,
    columns,
    add,
    addLatency(milliseconds) {
      latency = milliseconds
    },
  }
}

const EMPTY: Readonly<Record<Measure, null>> = {
  calls: null,
  errors: null,
  requests: null,
  latency: null,
  cpu: null,
  memory: null,
  servers: null,
  tools: null,
}

function toValues(message: MetricsMessage, before: MetricsMessage | undefined) {
  return {
    calls: rateOf('tool_invocations_total', message, before),
    errors: rateOf('tool_errors_total', message, before),
    requests: rateOf('http_requests_total', message, before),
    cpu: message.cpu_percent,
    memory: message.memory_percent,
    servers: message.servers_running,
    tools: message.tools_total,
  }
}

type Counter = 'tool_invocations_total' | 'tool_errors_total' | 'http_requests_total'

/** A second; unknown after a silence and after a start, which begins to count anew. */
function rateOf(counter: Counter, now: MetricsMessage, before: MetricsMessage | undefined): number | null {
  if (before === undefined) return null
  const seconds = (Date.parse(now.timestamp) - Date.parse(before.timestamp)) / 1_000
  const count = now[counter] - before[counter]
  return seconds <= 0 || seconds > LONGEST_SILENCE_SECONDS || count < 0 ? null : count / seconds
}

export interface Summary {
  readonly now: number | null
  readonly lowest: number | null
  readonly mean: number | null
  readonly highest: number | null
}

export function summarise(column: Column): Summary {
  const known = column.filter((value) => value !== null)
  if (known.length === 0) return { now: null, lowest: null, mean: null, highest: null }
  return {
    now: column.at(-1) ?? null,
    lowest: Math.min(...known),
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
    highest: Math.max(...known),
  }
}
