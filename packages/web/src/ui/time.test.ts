import { expect, test } from 'vitest'
import { toClock, toExactClock, toMoment, toRecentTime, toShortTime } from './time.ts'

test.each([
  ['', ''],
  ['yesterday', ''],
  ['9999-99-99', ''],
])('%j is no time, and nothing is said of it', (time, text) => {
  for (const write of [toClock, toExactClock, toMoment, toRecentTime, toShortTime])
    expect(write(time)).toBe(text)
})

test('today is told by the clock, every other day by its name', () => {
  const now = Date.now()
  expect(toRecentTime(now)).toBe(toClock(now))
  expect(toMoment(now)).toContain(String(new Date(now).getFullYear()))
  const before = '2019-03-05T12:00:00'
  expect(toShortTime(before)).toContain('2019')
  expect(toRecentTime(before)).toBe(`${toShortTime(before)} ${toClock(before)}`)
})
