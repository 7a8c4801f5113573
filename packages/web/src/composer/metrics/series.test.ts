import type { MetricsMessage } from '@quire/composer/contract'
import { expect, test } from 'vitest'
import { createMetricsSeries, KEPT_SECONDS, MEASURES, summarise } from './series.ts'

const START = Date.parse('2026-11-15T14:00:00.000Z')

function read(seconds: number, changes: Partial<MetricsMessage> = {}): MetricsMessage {
  return {
    type: 'metrics',
    timestamp: new Date(START + seconds * 1_000).toISOString(),
    http_requests_total: 0,
    tool_invocations_total: 0,
    tool_errors_total: 0,
    server_restarts_total: 0,
    servers_running: 2,
    tools_total: 9,
    cpu_percent: 1,
    memory_percent: 2,
    uptime_seconds: seconds,
    ...changes,
  }
}

test('sixty a second for twenty minutes are ten minutes of seconds', () => {
  const series = createMetricsSeries()
  for (let index = 0; index < 60 * 1_200; index += 1)
    series.add(read(index / 60, { tool_invocations_total: index * 3 }))
  expect(series.times).toHaveLength(KEPT_SECONDS)
  for (const measure of MEASURES) expect(series.columns[measure]).toHaveLength(KEPT_SECONDS)
  expect(series.times).toEqual([...series.times].sort((a, b) => a - b))
  expect(series.columns.calls.at(-2)).toBeCloseTo(180, 0)
})

test('a rate is what was counted in between', () => {
  const series = createMetricsSeries()
  series.add(read(0))
  series.add(read(1, { tool_invocations_total: 5, tool_errors_total: 1 }))
  series.add(read(3, { tool_invocations_total: 25, tool_errors_total: 1 }))
  expect(series.columns.calls).toEqual([null, 5, 10])
  expect(series.columns.errors).toEqual([null, 1, 0])
})

test('nothing is invented for a silence, or for a service that begins anew', () => {
  const series = createMetricsSeries()
  series.add(read(0, { tool_invocations_total: 100 }))
  series.add(read(1, { tool_invocations_total: 100 }))
  series.add(read(60, { tool_invocations_total: 900 }))
  series.add(read(61, { tool_invocations_total: 3 }))
  expect(series.columns.calls).toEqual([null, 0, null, null, null])
  expect(series.columns.cpu).toEqual([1, 1, null, 1, 1])
})

test('a clock that was set back begins anew', () => {
  const series = createMetricsSeries()
  for (const seconds of [100, 101, 5]) series.add(read(seconds))
  expect(series.times).toEqual([START / 1_000 + 5])
})

test('a clock that was set right by a moment does not', () => {
  const series = createMetricsSeries()
  for (const seconds of [100, 101, 99, 102]) series.add(read(seconds))
  expect(series.times).toEqual([100, 101, 102].map((seconds) => START / 1_000 + seconds))
})

test('a summary leaves out what is not known', () => {
  expect(summarise([null, 1, 3])).toEqual({ now: 3, lowest: 1, mean: 2, highest: 3 })
  expect(summarise([null])).toEqual({ now: null, lowest: null, mean: null, highest: null })
})
