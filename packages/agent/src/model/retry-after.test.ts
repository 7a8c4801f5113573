import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.parse('2026-10-21T07:28:00Z')

test.each<[Record<string, string>, string, number | undefined]>([
  [{}, '', undefined],
  [{ 'retry-after': '7' }, '', 7_000],
  [{ 'retry-after': '0' }, '', 0],
  [{ 'retry-after': '-5' }, '', 0],
  [{ 'retry-after': '1.5' }, '', 1_500],
  [{ 'retry-after': 'soon' }, '', undefined],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, '', 250],
  [{ 'retry-after-ms': 'x', 'retry-after': '7' }, '', 7_000],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT' }, '', 5_000],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' }, '', 0],
  [{ 'retry-after': 'Wed, 21 Oct 2026 09:00:10 GMT', date: 'Wed, 21 Oct 2026 09:00:00 GMT' }, '', 10_000],
  [{}, '{"retryDelay": "34.2s"}', 34_200],
  [{ 'retry-after': '1' }, '{"retryDelay": "34s"}', 1_000],
])('%j with the body %j asks for %s ms', (headers, body, ms) => {
  expect(retryAfterMs(headers, body, NOW)).toBe(ms)
})
