import { describe, expect, test } from 'vitest'
import { parseRateLimits } from './rate-limits.ts'

describe('parseRateLimits', () => {
  test('reads names, counts and units', () => {
    expect([...parseRateLimits('promptAgent=60/m, default = 600 / h ,a.b-c=5/s,x=1/d').values()]).toEqual([
      { name: 'promptAgent', quota: 60, windowSeconds: 60 },
      { name: 'default', quota: 600, windowSeconds: 3_600 },
      { name: 'a.b-c', quota: 5, windowSeconds: 1 },
      { name: 'x', quota: 1, windowSeconds: 86_400 },
    ])
  })

  test.each([
    ['', '"" is not a rate limit'],
    ['default', '"default" is not a rate limit'],
    ['default=60', '"default=60" is not a rate limit'],
    ['default=60/w', '"default=60/w" is not a rate limit'],
    ['default=60/min', '"default=60/min" is not a rate limit'],
    ['default=-1/m', '"default=-1/m" is not a rate limit'],
    ['default=1.5/m', '"default=1.5/m" is not a rate limit'],
    ['default=1e3/m', '"default=1e3/m" is not a rate limit'],
    ['=60/m', '"=60/m" is not a rate limit'],
    ['default=60/m,', '"" is not a rate limit'],
    ['good=1/m,bad', '"bad" is not a rate limit'],
    ['a"b=1/m', '"a"b=1/m" is not a rate limit'],
    ['a\r\nb=1/m', 'is not a rate limit'],
    ['default=0/m', 'allows 0 requests'],
    ['default=9999999999/m', 'allows 9999999999 requests'],
    ['a=1/m,b=1/m,a=2/m', 'The rate limit of "a" is given twice'],
    [`${'x'.repeat(100_000)}=1/m`, 'is not a rate limit'],
  ])('refuses %j and names the part', (text, message) => {
    expect(() => parseRateLimits(text)).toThrow(message)
  })

  test('a refusal shows little of a long part', () => {
    expect(() => parseRateLimits('y'.repeat(100_000))).toThrow(/^.{1,250}$/)
  })
})
