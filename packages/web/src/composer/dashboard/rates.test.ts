import type { MetricsMessage } from '@quire/composer/contract'
import { expect, test } from 'vitest'
import { addRates, MOST_RATES, type Rates } from './rates.ts'

function message(
  uptime_seconds: number,
  tool_invocations_total: number,
  tool_errors_total = 0,
): MetricsMessage {
  return {
    type: 'metrics',
    timestamp: '2026-01-01T00:00:00.000Z',
    http_requests_total: 0,
    tool_invocations_total,
    tool_errors_total,
    server_restarts_total: 0,
    servers_running: 0,
    tools_total: 0,
    cpu_percent: 0,
    memory_percent: 0,
    uptime_seconds,
  }
}

test('rates are differences over the time between', () => {
  const first = addRates(undefined, message(10, 100, 2))
  expect(first).toMatchObject({ calls: [], errors: [] })
  expect(addRates(first, message(12, 110, 3))).toMatchObject({ calls: [5], errors: [0.5] })
})

test('the same moment twice adds nothing, and a new start begins anew', () => {
  const first = addRates(undefined, message(10, 100))
  expect(addRates(first, message(10, 100))).toBe(first)
  expect(addRates(first, message(1, 0))).toMatchObject({ calls: [], errors: [] })
})

test('it is bounded', () => {
  let rates: Rates | undefined
  for (let second = 0; second < 200; second += 1) rates = addRates(rates, message(second, second))
  expect(rates?.calls).toHaveLength(MOST_RATES)
})
