import { expect, test } from 'vitest'
import { backoffDelay } from './backoff.ts'

test('doubles from half a second up to thirty', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) => backoffDelay(attempt, () => 0.5))
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('varies by a fifth either way', () => {
  expect(backoffDelay(2, () => 0)).toBeCloseTo(800)
  expect(backoffDelay(2, () => 1)).toBeCloseTo(1200)
})
