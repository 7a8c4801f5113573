import { expect, test } from 'vitest'
import { createUnderWay } from './under-way.ts'

test('holds what was added and not removed, whatever the order', () => {
  const underWay = createUnderWay<{ readonly name: string; place: number }>()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ({ name, place: 0 }))
  if (!a || !b || !c || !d) throw new Error('four were made')
  const names = () =>
    underWay
      .all()
      .map(({ name }) => name)
      .sort()
      .join('')
  for (const item of [a, b, c, d]) underWay.add(item)
  expect(names()).toBe('abcd')
  for (const [item, rest] of [
    [a, 'bcd'],
    [d, 'bc'],
    [b, 'c'],
  ] as const) {
    underWay.remove(item)
    expect(names()).toBe(rest)
  }
  underWay.add(a)
  underWay.remove(c)
  expect([names(), underWay.size]).toEqual(['a', 1])
})
