import { expect, test } from 'vitest'
import { createFailureThrottle } from './failure-throttle.ts'

test('counts failures per address within a window', () => {
  let now = 0
  const throttle = createFailureThrottle({ failures: 2, windowMs: 10_000, now: () => now })
  expect([throttle.record('a'), throttle.record('a'), throttle.record('a')]).toEqual([0, 0, 10])
  expect(throttle.record('b')).toBe(0)
  now = 9_500
  expect(throttle.record('a')).toBe(1)
  now = 10_000
  expect(throttle.record('a')).toBe(0)
})

test('remembers a bounded number of addresses', () => {
  const throttle = createFailureThrottle({ failures: 1, windowMs: 60_000, addresses: 3, now: () => 0 })
  for (const address of ['a', 'b', 'c', 'd']) throttle.record(address)
  expect(throttle.record('a'), 'a was forgotten').toBe(0)
  expect(throttle.record('d'), 'd was not').toBe(60)
})
